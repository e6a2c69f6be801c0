import { type FileHandle, open } from 'node:fs/promises'
import { StartupError } from '../../errors.ts'

interface Header {
  readonly bytesPerElement: number
  readonly shape: readonly number[]
  /** Where the elements begin. */
  readonly start: number
}

const refused = (what: string) =>
  new StartupError(`the .npy file must hold float16, float32 or float64 in C order: ${what}`)

/** NumPy's format, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
function readHeader(bytes: Buffer): Header {
  const isNpy = bytes.length >= 12 && bytes.toString('latin1', 0, 6) === '\u0093NUMPY'
  if (!isNpy) throw refused('it is no .npy file')
  const isFirst = bytes[6] === 1
  const from = isFirst ? 10 : 12
  const start = from + (isFirst ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8))
  const text = bytes.toString('latin1', from, start)
  const descr = /'descr': *'([^']*)'/.exec(text)?.[1] ?? ''
  const size = /^<f([248])$/.exec(descr)?.[1]
  if (size === undefined) throw refused(`its type is ${descr || 'of several fields'}`)
  if (!/'fortran_order': *False/.test(text)) throw refused('it is in Fortran order')
  const shape = /'shape': *\(([^)]*)\)/.exec(text)?.[1]?.match(/\d+/g) ?? []
  return { bytesPerElement: Number(size), shape: shape.map(Number), start }
}

function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * 2 ** -24 * fraction
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024)
}

function elements(bytes: Buffer, size: number): Float32Array {
  const vector = new Float32Array(bytes.length / size)
  for (let index = 0; index < vector.length; index += 1) {
    const at = index * size
    if (size === 4) vector[index] = bytes.readFloatLE(at)
    else vector[index] = size === 8 ? bytes.readDoubleLE(at) : float16(bytes.readUInt16LE(at))
  }
  return vector
}

/** The one vector of a file. */
export function readNpy(bytes: Buffer): Float32Array {
  const { bytesPerElement, shape, start } = readHeader(bytes)
  const length = shape.at(-1) ?? 0
  if (shape.length > 2 || (shape.length === 2 && shape[0] !== 1)) throw refused('it is no vector')
  return elements(bytes.subarray(start, start + length * bytesPerElement), bytesPerElement)
}

const readAtOnce = 4 * 1024 * 1024
const maxHeader = 64 * 1024

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}

/** How many rows a matrix has. */
export async function countNpyRows(name: string): Promise<number> {
  const file = await open(name)
  const header = await readAt(file, 0, maxHeader).finally(() => file.close())
  return readHeader(header).shape[0] ?? 0
}

/** The rows of a matrix, one after another. */
export async function* npyRows(name: string): AsyncGenerator<Float32Array, void> {
  const file = await open(name)
  try {
    const { bytesPerElement, shape, start } = readHeader(await readAt(file, 0, maxHeader))
    const [count = 0, dimensions = 0] = shape
    if (shape.length !== 2 || dimensions === 0)
      throw refused('it is no matrix of a vector in each row')
    const rowBytes = dimensions * bytesPerElement
    const atOnce = Math.max(1, Math.floor(readAtOnce / rowBytes))
    for (let first = 0; first < count; first += atOnce) {
      const rows = Math.min(atOnce, count - first)
      const bytes = await readAt(file, start + first * rowBytes, rows * rowBytes)
      if (bytes.length < rows * rowBytes) throw new StartupError(`${name} ends too early`)
      for (let row = 0; row < rows; row += 1) {
        yield elements(bytes.subarray(row * rowBytes, (row + 1) * rowBytes), bytesPerElement)
      }
    }
  } finally {
    await file.close()
  }
}
