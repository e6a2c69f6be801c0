/**
 * Collects chunks of bytes in a buffer of its own. It can be handed to another thread, and does not
 * keep larger buffers alive that the chunks are small parts of.
 */
export class Gathered {
  readonly #announced: number
  #buffer = Buffer.allocUnsafeSlow(0)
  #size = 0

  /** @param announced how many bytes are expected, if that is known */
  constructor(announced = 0) {
    this.#announced = announced
  }

  get size(): number {
    return this.#size
  }

  append(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength
    if (size > this.#buffer.length) {
      // Grows in proportion to what has arrived, because a length is announced sooner than sent.
      const enough = this.#announced < size ? 2 * size : Math.min(8 * size, this.#announced)
      const larger = Buffer.allocUnsafeSlow(enough)
      larger.set(this.bytes())
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#size)
    this.#size = size
  }

  bytes(): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size)
  }
}
