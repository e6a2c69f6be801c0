import { createHash } from 'node:crypto'
import { readSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { renameDurably } from '../../../durable-files.ts'

/** Bytes written or read at once: hashing them takes a millisecond, for which searches wait. */
const sliceBytes = 2 ** 20
/** The length of the list of parts, which are the last two things in the file. */
const lengthBytes = 8

export type NumberArray = Uint8Array | Int8Array | Int32Array | Float32Array | Float64Array

/** An array in the file. */
interface Part {
  readonly bytes: number
  readonly hash: string
}

const hashOf = () => createHash('sha256')

/** Writes arrays of numbers one after another. */
export class ArrayWriter {
  readonly #file: FileHandle
  readonly #check: () => void
  readonly #parts: Part[] = []

  /** @param check is called before each slice, and throws if the arrays have changed */
  constructor(file: FileHandle, check: () => void) {
    this.#file = file
    this.#check = check
  }

  async put(array: NumberArray): Promise<void> {
    const { byteLength: bytes } = array
    const hash = hashOf()
    for (let at = 0; at < bytes; at += sliceBytes) {
      this.#check()
      const length = Math.min(sliceBytes, bytes - at)
      // A copy, since the memory of a WebAssembly module may grow, which detaches its arrays.
      const slice = Buffer.from(Buffer.from(array.buffer, array.byteOffset + at, length))
      hash.update(slice)
      await this.#file.write(slice)
    }
    this.#parts.push({ bytes, hash: hash.digest('hex') })
  }

  putJson(value: unknown): Promise<void> {
    return this.put(Buffer.from(JSON.stringify(value)))
  }

  /** @returns the hash that proves all of the file, which is on disk then */
  async finish(): Promise<string> {
    this.#check()
    const parts = Buffer.from(JSON.stringify(this.#parts))
    const length = Buffer.alloc(lengthBytes)
    length.writeBigUInt64LE(BigInt(parts.length))
    await this.#file.write(Buffer.concat([parts, length]))
    await this.#file.sync()
    return hashOf().update(parts).digest('hex')
  }
}

/**
 * Writes a file of arrays for its owner alone. It has its name only once it is complete and on disk.
 * @param unfinished its path until then
 * @param check is called before each slice, and throws if the arrays have changed
 */
export async function writeArrays(
  unfinished: string,
  pathFor: (hash: string) => string,
  check: () => void,
  write: (file: ArrayWriter) => Promise<void>,
): Promise<{ readonly hash: string }> {
  const file = await open(unfinished, 'wx', 0o600)
  try {
    const writer = new ArrayWriter(file, check)
    await write(writer)
    const hash = await writer.finish()
    renameDurably(unfinished, pathFor(hash))
    return { hash }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Reads arrays of numbers in the order in which they were written. */
export class ArrayReader {
  readonly #path: string
  readonly #file: FileHandle
  readonly #parts: readonly Part[]
  #next = 0
  #at = 0

  private constructor(path: string, file: FileHandle, parts: readonly Part[]) {
    this.#path = path
    this.#file = file
    this.#parts = parts
  }

  /** @throws Error if the hash does not prove the file */
  static async open(path: string, hash: string): Promise<ArrayReader> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const length = Buffer.alloc(lengthBytes)
      await fill(file, length, size - lengthBytes)
      const bytes = Number(length.readBigUInt64LE())
      if (bytes > size - lengthBytes) throw unproved()
      const parts = Buffer.alloc(bytes)
      await fill(file, parts, size - lengthBytes - bytes)
      if (hashOf().update(parts).digest('hex') !== hash) throw unproved()
      return new ArrayReader(path, file, JSON.parse(parts.toString()))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async json<Value>(): Promise<Value> {
    const bytes = await this.into(Buffer.alloc(this.#parts[this.#next]?.bytes ?? 0))
    return JSON.parse(bytes.toString())
  }

  /** @param array of the same length as the one written @throws Error if that was another */
  async into<Filled extends NumberArray>(array: Filled): Promise<Filled> {
    const { at, part } = this.#take()
    if (part?.bytes !== array.byteLength) throw unproved()
    const hash = hashOf()
    for (let from = 0; from < part.bytes; from += sliceBytes) {
      const length = Math.min(sliceBytes, part.bytes - from)
      const slice = Buffer.from(array.buffer, array.byteOffset + from, length)
      await fill(this.#file, slice, at + from)
      hash.update(slice)
    }
    if (hash.digest('hex') !== part.hash) throw unproved()
    return array
  }

  /**
   * Leaves an array, which should be small, in the file.
   * @returns a function that reads it without waiting, until the file is closed; it removes the file
   *   and throws an Error if this cannot be read, or is not as it was written
   */
  later(): () => Uint8Array<ArrayBuffer> {
    const { at, part } = this.#take()
    return () => {
      const { fd } = this.#file
      if (fd < 0 || part === undefined) throw new Error('the file is closed, or ends before')
      const array = new Uint8Array(part.bytes)
      try {
        if (readSync(fd, array, 0, part.bytes, at) < part.bytes) throw unproved()
        if (hashOf().update(array).digest('hex') !== part.hash) throw unproved()
        return array
      } catch (error) {
        // Else the next attempt would begin with it again.
        rmSync(this.#path, { force: true })
        throw error
      }
    }
  }

  #take() {
    const [at, part] = [this.#at, this.#parts[this.#next]]
    this.#next += 1
    this.#at += part?.bytes ?? 0
    return { at, part }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

async function fill(file: FileHandle, buffer: Buffer, position: number): Promise<void> {
  for (let at = 0; at < buffer.length; ) {
    const { bytesRead } = await file.read(buffer, at, buffer.length - at, position + at)
    if (bytesRead === 0) throw unproved()
    at += bytesRead
  }
}

const unproved = () => new Error('the file is not as it was written')
