import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16
const version = 'v1'

/** Seals short secrets for the database. A sealed secret opens only for the `owner` it was sealed for. */
export interface Sealer {
  seal(secret: string, owner: string): string
  /** @throws when the key is another one, or the text was sealed for another owner or altered */
  open(sealed: string, owner: string): string
}

/**
 * AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D allows 2^32 of them for a key); the key is
 * derived from ENCRYPTION_KEY by HKDF-SHA256 (RFC 5869). Form: `v1.<base64url of nonce, ciphertext, tag>`.
 */
export function createSealer(encryptionKey: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, 'semblance', 'sealed-secret/v1', 32))
  return {
    seal(secret, owner) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
      const sealed = [iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${version}.${Buffer.concat(sealed).toString('base64url')}`
    },
    open(sealed, owner) {
      const [form, text = ''] = sealed.split('.')
      if (form !== version) throw new Error(`unknown form of a sealed secret: ${form}`)
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-tagBytes))
      const secret = decipher.update(bytes.subarray(ivBytes, -tagBytes))
      return Buffer.concat([secret, decipher.final()]).toString('utf8')
    },
  }
}
