import { randomNumbers } from '../../shared/random-numbers.ts'

/** Makes JSON texts of every shape, and texts that nearly are; the same for the same seed. */
export class JsonTexts {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = randomNumbers(seed)
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  oneOf<T>(...choices: [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0]
  }

  /** A JSON number, of any length and size. */
  number(): string {
    return this.oneOf(
      () => this.oneOf('0', '-0', '0.0', '-0.0e5', '1', '-1', '1e400', '-1e-400', '3.4028236e38'),
      () => String(this.#anyFloat32()),
      () => String(Math.fround(this.#random() - 0.5)),
      () => Math.fround(this.#random() - 0.5).toPrecision(9),
      () => String(this.#random() - 0.5),
      () => `${this.oneOf('', '-')}${this.#digits(1 + this.below(30))}`,
      () => `${this.oneOf('', '-')}0.${'0'.repeat(this.below(30))}${this.#digits(9)}`,
      () => `${this.#digits(1 + this.below(20))}.${this.#digits(1 + this.below(40))}`,
      () => `${this.#digits(1 + this.below(3))}${this.#power()}`,
      () => `${this.#digits(1)}.${this.#digits(1 + this.below(20))}${this.#power()}`,
      () => this.#halfway(),
    )()
  }

  /** What a careless program may write for a number. */
  noNumber(): string {
    const wrong = ['01', '-01', '+1', '.5', '1.', '-', '1e', '1e+', '1.e5', '- 1', '1 2', '0x1']
    return this.oneOf('NaN', 'Infinity', '1_0', '1..2', '1e5.5', '--1', ...wrong)
  }

  /** A body as for an upload, more or less. */
  body(): string {
    const root = this.oneOf('embeddings', 'embeddings', 'x', '__proto__')
    const items = Array.from({ length: this.below(4) }, () => this.#item())
    const another = this.oneOf('y', 'embeddings')
    const more = this.below(2) > 0 ? `,"${another}":${this.#value(2)}` : ''
    const { s } = this
    return `${s}{${s}"${root}"${s}:${s}[${items.join()}]${s}${more}}${s}`
  }

  /** The text with a byte or two changed, taken out or put in, or cut off. */
  damaged(text: string): Buffer {
    let bytes = Buffer.from(text)
    for (let left = 1 + this.below(2); left > 0; left -= 1) {
      const at = this.below(bytes.length)
      const put = this.oneOf('"', '\\', '[', ']', '{', '}', ',', ':', '1', 'e', '.', '\n', '\xff')
      const [kept, cut] = this.oneOf([at, at], [at, at + 1], [at + 1, at + 1], [at, bytes.length])
      const between = this.oneOf(Buffer.from(put, 'latin1'), Buffer.alloc(0))
      bytes = Buffer.concat([bytes.subarray(0, kept), between, bytes.subarray(cut)])
    }
    return bytes
  }

  /** White space, mostly none. */
  get s(): string {
    return this.oneOf('', '', '', ' ', '\n\t', '\r\n  ')
  }

  vector(): string {
    const numbers = Array.from({ length: this.below(this.oneOf(2, 16)) }, () => this.number())
    if (this.below(12) === 0) numbers.push(this.oneOf('null', '"1"', '[1]', '{}', this.noNumber()))
    return `[${this.s}${numbers.map((number) => `${number}${this.s}`).join(`,${this.s}`)}]`
  }

  #item(): string {
    const fields = Array.from({ length: this.below(5) }, () => {
      const key = this.oneOf('"vector"', '"vector"', '"vect\\u006fr"', '"vectors"', this.#string())
      const value = this.below(3) > 0 ? this.vector() : this.#value(3)
      return `${this.s}${key}${this.s}:${this.s}${value}${this.s}`
    })
    return this.below(8) > 0 ? `{${fields.join()}}` : this.#value(2)
  }

  #value(depth: number): string {
    if (depth === 0) return this.oneOf('null', 'true', this.number(), this.#string())
    const members = Array.from({ length: this.below(3) }, () => this.#value(depth - 1))
    const named = members.map((member) => `${this.oneOf('"vector"', this.#string())}:${member}`)
    const container = this.oneOf(`[${members.join()}]`, `{${named.join()}}`)
    return this.below(3) > 0 ? container : this.vector()
  }

  #string(): string {
    const pieces = [
      ...['vector', '\\"', '\\\\', '[1,2]', '{', '}', '"vector":[1]', 'é😀', '\ud800', ':'],
    ]
    const text = Array.from({ length: this.below(4) }, () => this.oneOf('a', ...pieces)).join('')
    return JSON.stringify(text)
  }

  #digits(count: number): string {
    const first = String(1 + this.below(9))
    return Array.from({ length: count - 1 }, () => this.below(10)).reduce<string>(
      (text, digit) => text + digit,
      first,
    )
  }

  #power(): string {
    return `${this.oneOf('e', 'E')}${this.oneOf('', '+', '-', '-0')}${this.below(this.oneOf(5, 50, 400))}`
  }

  #anyFloat32(): number {
    const [value = 0] = new Float32Array(Uint32Array.of(this.#random() * 2 ** 32).buffer)
    return Number.isFinite(value) ? value : 0
  }

  /** Between two float32 numbers, or just beside that. */
  #halfway(): string {
    const bits = Uint32Array.of(this.below(0x7f000000), 0)
    bits[1] = (bits[0] ?? 0) + 1
    const [low = 0, high = 0] = new Float32Array(bits.buffer)
    const [digits, power = ''] = ((low + high) / 2).toExponential(60).split('e')
    return `${digits?.slice(0, 4 + this.below(59))}${this.oneOf('', '1', '9')}e${power}`
  }
}
