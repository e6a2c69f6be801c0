import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The key in the examples of the OpenAPI document and the README; nobody has it. */
const exampleKey = 'smb_00000000000000000000000000000000000000000006tu5Xg'
/** Shorter ones, such as the `k` of a test, stand in other words as well. */
const shortest = 9

const keyPattern = 'smb_[\\w-]{43,49}'
const wholeKey = new RegExp(`^${keyPattern}$`)
/** A user's key in hex and in base64, whoever's it is. */
const encodedKeyPatterns = ['736d625f[0-9a-f]{86,98}', 'c21iX[\\w+/-]{57,66}']
/** What only the database may hold. */
const sealedPattern = /v[12]\.(?:[0-9a-f]{8}\.)?[\w-]{38,}/g

/** As docs/operations.md describes it for secret scanners. */
export function hasChecksum(key: string): boolean {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(key.slice(0, -6)))
  return /^smb_[\w-]{49}$/.test(key) && key.endsWith(bytes.toString('base64url'))
}

/** All secrets that were submitted, issued or configured so far, in every form in which they might leak. */
export class Secrets {
  readonly #values = new Set<string>()
  readonly #keys = new Set<string>()
  readonly #hashes = new Set<string>()
  #pattern: RegExp | undefined

  get count(): number {
    return this.#values.size + this.#keys.size + this.#hashes.size
  }

  /** A provider's key, an administrator's, an encryption key. */
  add(value: string): void {
    if (value.length < shortest || this.#values.has(value)) return
    // Found by its form, as in `addIssued`: a pattern of thousands takes a tenth of a second to compile.
    if (wholeKey.test(value)) return void this.#keys.add(value)
    this.#values.add(value)
    this.#pattern = undefined
  }

  /** A user's key; those need no list, since they can be told by their form. */
  addIssued(key: string): void {
    this.#hashes.add(createHash('sha256').update(key).digest('hex'))
  }

  /**
   * What of the secrets stands in the text, cut short.
   * @param permitted a user's key that may stand there
   */
  findIn(text: string, permitted?: string): string[] {
    this.#pattern ??= new RegExp(
      [keyPattern, ...encodedKeyPatterns, ...[...this.#values].flatMap(formsOf)].join('|'),
      'g',
    )
    const found = text.match(this.#pattern) ?? []
    return found
      .filter((each) => each !== permitted && each !== exampleKey && !this.#isByChance(each, text))
      .map(shortened)
  }

  /** One sealed text in some millions has the form of a key in its middle, without its checksum. */
  #isByChance(found: string, text: string): boolean {
    if (!found.startsWith('smb_') || hasChecksum(found) || this.#keys.has(found)) return false
    return (text.match(sealedPattern) ?? []).some((sealed) => sealed.includes(found))
  }

  /** The same where not even what the database keeps of a secret may stand: a hash, a sealed text. */
  findShownIn(text: string, permitted?: string): string[] {
    const hashes = (text.match(/[0-9a-f]{64}/g) ?? []).filter((each) => this.#hashes.has(each))
    const sealed = text.match(sealedPattern) ?? []
    return [...this.findIn(text, permitted), ...[...hashes, ...sealed].map(shortened)]
  }

  /** The same for the bytes of a file. */
  findInBytes(bytes: Buffer): string[] {
    // Nearly all of a file holds none of these.
    const parts = ['smb_', '736d625f', 'c21iX', ...this.#values]
    return parts.some((part) => bytes.includes(part)) ? this.findIn(bytes.toString('latin1')) : []
  }
}

/** A secret as it is, and as JSON, URLs, base64 and hex have it; as patterns. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
  return [...new Set(forms)].map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
}

const shortened = (secret: string) => `${secret.slice(0, 10)}…`

/** The secrets in the JSON text of a request's body, also where it is odd or cut off. */
export function* secretsIn(body: string): Generator<string> {
  if (!body.includes('api_key')) return
  for (const [, literal = ''] of body.matchAll(
    /"api_key(?:_encrypted)?"\s*:\s*("(?:[^"\\]|\\.)*")/g,
  )) {
    yield parsed(literal)
  }
}

function parsed(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal.slice(1, -1)
  }
}
