import { createWriteStream } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { renameDurably } from '../durable-files.ts'
import { StartupError } from '../errors.ts'

/**
 * Writes a file that gets its name only when it is complete, and that only its owner can read. A
 * device or a pipe is written to directly.
 * @returns the size in bytes
 */
export async function writeWhole(source: AsyncIterable<Uint8Array>, file: string): Promise<number> {
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    const there = await stat(file).catch(() => undefined)
    if (there?.isDirectory()) throw new StartupError(`${file} is a folder`)
    if (there?.isFile() === false) return await writeInto(source, file)
    const target = await open(unfinished, 'wx', 0o600)
    const bytes = await writeAll(source, target).finally(() => target.close())
    renameDurably(unfinished, file)
    return bytes
  } catch (error) {
    await rm(unfinished, { force: true })
    if (error instanceof StartupError) throw error
    const reason = error instanceof Error ? error.message : error
    throw new StartupError(`${file} was not made: ${reason}`)
  }
}

async function writeInto(source: AsyncIterable<Uint8Array>, file: string): Promise<number> {
  const target = createWriteStream(file)
  await pipeline(source, target)
  return target.bytesWritten
}

/**
 * If this fails, the source has ended as well by then and has left nothing behind.
 * @returns the number of bytes
 */
async function writeAll(source: AsyncIterable<Uint8Array>, target: FileHandle): Promise<number> {
  let bytes = 0
  for await (const part of source) {
    for (let at = 0; at < part.length; ) at += (await target.write(part, at)).bytesWritten
    bytes += part.length
  }
  await target.sync()
  return bytes
}
