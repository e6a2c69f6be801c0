import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipherName = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Seals short secrets for the database. A sealed secret opens only for its `owner`. */
export interface Sealer {
  seal(secret: string, owner: string): string
  /** @throws if the key is another one, or the text was altered or sealed for another owner */
  open(sealed: string, owner: string): string
}

/**
 * AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D allows 2^32 of them for a key). Keys are
 * derived from ENCRYPTION_KEY by HKDF-SHA256 (RFC 5869). The form is `v2.<key id>.<base64url of
 * nonce, ciphertext, tag>`, and everything before the base64url is authenticated together with the
 * owner.
 */
export function createSealer(encryptionKey: string): Sealer {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', encryptionKey, 'semblance', `sealed-secret/${purpose}`, bytes))
  const prefix = `v2.${derived('v2/key-id', 4).toString('hex')}.`
  const key = derived('v2', 32)
  return {
    seal: (secret, owner) => prefix + encrypt(key, secret, prefix + owner),
    open(sealed, owner) {
      const textAt = sealed.lastIndexOf('.') + 1
      if (sealed.slice(0, textAt) === prefix) {
        return decrypt(key, sealed.slice(textAt), prefix + owner)
      }
      throw new Error('a secret was sealed with another key or in an unknown form')
    },
  }
}

function encrypt(key: Buffer, secret: string, context: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(cipherName, key, iv).setAAD(Buffer.from(context))
  const sealed = [iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

function decrypt(key: Buffer, text: string, context: string): string {
  const bytes = Buffer.from(text, 'base64url')
  // Decoding skips characters that are not base64url, so an altered text could mean the same bytes.
  if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== text) {
    throw new Error('a sealed secret is damaged')
  }
  const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes))
  const secret = decipher.update(bytes.subarray(ivBytes, -tagBytes))
  return Buffer.concat([secret, decipher.final()]).toString('utf8')
}
