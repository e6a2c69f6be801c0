import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The CRC-32 of a key's text in base64url, always 6 characters. It keeps nothing secret. Without a
 * database, it tells a key from a mistyped one or from a text that only looks like a key.
 */
function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}

/** A new API key: 256 random bits behind a prefix that people and secret scanners recognise. */
export function newApiKey(): string {
  const text = `smb_${randomBytes(32).toString('base64url')}`
  return text + checksum(text)
}

/** The form in which a key is stored and looked up. 256 random bits need no slow hash. */
export const hashKey = (key: string) => hash('sha256', key)

/** Compares two hashes of `hashKey` in constant time. */
export const sameHash = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))
