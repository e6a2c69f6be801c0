import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Bytes that come, and how far they are. */
interface Source {
  readonly chunks: AsyncIterable<Uint8Array>
  /** What part of all was read, where that is known. */
  readonly part: () => number | undefined
}

const readAtOnce = 256 * 1024

/** A file, unpacked where its name ends with .gz, or stdin for `-`. */
export async function openSource(file: string, unpacks = true): Promise<Source> {
  if (file === '-') return { chunks: process.stdin, part: () => undefined }
  // Opened here: a stream that fails before it is read would end the process.
  const handle = await open(file)
  const { size } = await handle.stat()
  const raw = handle.createReadStream({ highWaterMark: readAtOnce })
  const part = () => (size === 0 ? 1 : raw.bytesRead / size)
  if (!unpacks || !/\.gz$/i.test(file)) return { chunks: raw, part }
  // What fails here, fails whoever reads what comes out.
  return { chunks: pipeline(raw, createGunzip(), () => {}), part }
}
