import { describe, expect, it } from 'vitest'
import { newApiKey } from '../../src/secrets/keys.ts'
import { textOf } from '../support/documents.ts'
import { hasChecksum } from '../support/secrets/secrets.ts'

/** What the documents give to secret scanners. */
const scanned = new RegExp(/^\\bsmb_.*$/m.exec(textOf('docs/operations.md'))?.[0] ?? 'missing')

const keys = Array.from({ length: 20 }, newApiKey)

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
})
