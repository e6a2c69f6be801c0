import { numberRule, skipSpace } from './scan.ts'

/** The powers of ten that float64 holds exactly. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
/** More digits than these do not change float32, save where `dropped` is tested. */
const enoughDigits = 1e11
/** From here on numbers round to infinity in float32. */
const float32Overflow = 2 ** 128 - 2 ** 103

/**
 * Reads JSON arrays of numbers into float32 elements, one array after another. Each element is, to
 * the bit, Math.fround of the number that JSON.parse would read.
 */
export class FloatArrays {
  /** The elements of all arrays so far, and room for more. */
  floats: Float32Array<ArrayBuffer>
  length = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.floats = new Float32Array((bytes.length >> 3) + 1)
  }

  /**
   * Reads the array that opens at `start`.
   * @returns where it ends; -1 if it is empty or holds anything but numbers that are finite in
   *   float32, in which case nothing is kept
   */
  read(start: number): number {
    const bytes = this.#bytes
    const before = this.length
    for (let at = start; ; ) {
      if (this.length === this.floats.length) this.#grow()
      const number = skipSpace(bytes, at + 1)
      at = this.#common(number)
      if (at === -1) at = this.#any(number)
      if (at === -1) break
      this.length += 1
      at = skipSpace(bytes, at)
      if (bytes[at] === 0x5d) return at + 1
      if (bytes[at] !== 0x2c) break
    }
    this.length = before
    return -1
  }

  #grow(): void {
    const floats = new Float32Array(this.floats.length * 2)
    floats.set(this.floats)
    this.floats = floats
  }

  /**
   * Reads a number of the common form: up to eight digits, perhaps a fraction, no exponent. This is
   * one function with local variables, because in fields and between calls they would be boxed.
   * @returns where it ends, -1 if it has another form
   */
  #common(start: number): number {
    const bytes = this.#bytes
    // Does not branch on the sign, which would be mispredicted for every other element.
    const minus = isByte(bytes[start] ?? 0, 0x2d)
    const first = start + minus
    let at = first
    let mantissa = 0
    for (; isDigit(bytes[at] ?? 0) && at < first + 8; at += 1) {
      mantissa = mantissa * 10 + (bytes[at] ?? 0) - 0x30
    }
    if (at === first || (bytes[first] === 0x30 && at > first + 1)) return -1
    let decimals = 0
    let dropped = false
    if (bytes[at] === 0x2e) {
      const point = at
      for (at += 1; mantissa < enoughDigits; at += 1) {
        const digit = (bytes[at] ?? 0) - 0x30
        if (digit < 0 || digit > 9) break
        mantissa = mantissa * 10 + digit
      }
      decimals = at - point - 1
      for (; isDigit(bytes[at] ?? 0); at += 1) dropped = true
      if (decimals === 0 || decimals >= powers.length) return -1
    }
    if (isWithinNumber(bytes[at] ?? 0)) return -1
    // Both operands are exact, so float64 rounds their quotient as it rounds the decimal number.
    const power = powers[decimals] ?? 0
    const value = mantissa / power
    // With digits dropped, the number is below (mantissa + 1) / power; rounding keeps the order.
    if (dropped && Math.fround(value) !== Math.fround((mantissa + 1) / power)) return -1
    this.floats[this.length] = value * (1 - 2 * minus)
    return at
  }

  /** @returns where the number ends, -1 if float32 cannot hold it */
  #any(start: number): number {
    const bytes = this.#bytes
    let end = start
    while (isWithinNumber(bytes[end] ?? 0)) end += 1
    const text = bytes.toString('latin1', start, end)
    const value = Number(text)
    if (!numberRule.test(text) || Math.abs(value) >= float32Overflow) return -1
    this.floats[this.length] = value
    return end
  }
}

/** 1 if they are equal, else 0. */
const isByte = (byte: number, other: number) => ((byte ^ other) - 1) >>> 31
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
/** A digit or one of + - . e E. */
const isWithinNumber = (byte: number) =>
  isDigit(byte) || byte === 0x2d || byte === 0x2e || byte === 0x2b || (byte | 0x20) === 0x65
