import { describe, expect, it } from 'vitest'
import { newApiKey } from '../../src/secrets/keys.ts'
import { textOf } from '../support/documents.ts'
import { hasChecksum } from '../support/secrets/secrets.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** What the documents give to secret scanners. */
const scanned = new RegExp(/^\\bsmb_.*$/m.exec(textOf('docs/operations.md'))?.[0] ?? 'missing')

const keys = Array.from({ length: 20 }, newApiKey)
const places = (key: string) => Array.from(key, (_, index) => index)

describe('an API key', () => {
  it('is found whole by a secret scanner', () => {
    for (const key of keys) {
      const found = (context: string) => scanned.exec(context)?.[0]
      expect(found(`Authorization: Bearer ${key}`)).toBe(key)
      expect(found(`{"api_key":"${key}","name":"x"}`)).toBe(key)
    }
  })

  it('has a checksum that never changes', () => {
    expect(hasChecksum('smb_00000000000000000000000000000000000000000006tu5Xg')).toBe(true)
    for (const key of keys) expect(hasChecksum(key), key).toBe(true)
  })

  it('is known to be mistyped when any one character is another', () => {
    for (const key of keys) {
      for (const index of places(key)) {
        for (const character of alphabet) {
          if (character === key[index]) continue
          const typo = key.slice(0, index) + character + key.slice(index + 1)
          expect(hasChecksum(typo), typo).toBe(false)
        }
      }
    }
  })

  it('is known to be mistyped when two neighbours are swapped, one is missing or doubled', () => {
    for (const key of keys) {
      for (const index of places(key)) {
        const [before, a = '', b = ''] = [key.slice(0, index), key[index], key[index + 1]]
        const swapped = before + b + a + key.slice(index + 2)
        if (a !== b && b !== '') expect(hasChecksum(swapped), swapped).toBe(false)
        expect(hasChecksum(before + key.slice(index + 1))).toBe(false)
        expect(hasChecksum(before + a + key.slice(index))).toBe(false)
      }
    }
  })

  it.each(['', 'smb_', 'AAAAAA', 'x'.repeat(53)])('is not %j', (text) => {
    expect(hasChecksum(text)).toBe(false)
  })
})
