import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new API key: 256 random bits behind a prefix that people and secret scanners recognise. */
export const newApiKey = () => `smb_${randomBytes(32).toString('base64url')}`

/** What of a key is kept for finding it. 256 random bits need no slow hash. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex')

/** Compares two hashes of `hashKey` in constant time. */
export const sameHash = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))
