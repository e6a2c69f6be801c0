import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { SemblanceError } from '../client/client.ts'
import { StartupError } from '../errors.ts'

/** Under its name only when it is whole. @param mode for its owner alone when it is not given @returns its size */
export async function writeWhole(
  source: AsyncIterable<Uint8Array>,
  file: string,
  mode = 0o600,
): Promise<number> {
  const unfinished = `${file}.unfinished`
  try {
    await rm(unfinished, { force: true })
    const target = await open(unfinished, 'wx', mode)
    const bytes = await writeAll(source, target).finally(() => target.close())
    await rename(unfinished, file)
    return bytes
  } catch (error) {
    await rm(unfinished, { force: true })
    if (error instanceof StartupError || error instanceof SemblanceError) throw error
    const reason = error instanceof Error ? error.message : error
    throw new StartupError(`${file} was not made: ${reason}`)
  }
}

/** Where it fails, the source has ended as well by then, and left nothing. @returns how many bytes it was */
async function writeAll(source: AsyncIterable<Uint8Array>, target: FileHandle): Promise<number> {
  let bytes = 0
  for await (const part of source) {
    for (let at = 0; at < part.length; ) at += (await target.write(part, at)).bytesWritten
    bytes += part.length
  }
  await target.sync()
  return bytes
}
