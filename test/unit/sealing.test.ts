import { describe, expect, it } from 'vitest'
import { createSealer } from '../../src/secrets/sealing.ts'

const key = 'a key of at least 32 characters!'
const sealer = createSealer(key)

/** The sealed text with one bit of the byte at `index` (from the end when negative) flipped. */
function altered(sealed: string, index: number): string {
  const bytes = Buffer.from(sealed.replace('v1.', ''), 'base64url')
  const at = index < 0 ? bytes.length + index : index
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return `v1.${bytes.toString('base64url')}`
}

describe('a sealed secret', () => {
  it.each(['', 'sk-123', 'pässwörd 😀', 'x'.repeat(100_000)])('opens again', (secret) => {
    expect(sealer.open(sealer.seal(secret, 'owner'), 'owner')).toBe(secret)
  })

  it('opens after a restart with the same key', () => {
    expect(createSealer(key).open(sealer.seal('secret', 'o'), 'o')).toBe('secret')
  })

  it('does not show the secret and differs every time', () => {
    const sealed = Array.from({ length: 50 }, () => sealer.seal('secret', 'owner'))
    expect(new Set(sealed).size).toBe(50)
    for (const text of sealed) {
      expect(text).toMatch(/^v1\.[\w-]+$/)
      expect(Buffer.from(text.slice(3), 'base64url').toString('latin1')).not.toContain('secret')
    }
  })

  it('has a nonce of 12 bytes and a tag of 16', () => {
    const bytes = Buffer.from(sealer.seal('secret', 'owner').slice(3), 'base64url')
    expect(bytes.length).toBe(12 + 'secret'.length + 16)
  })

  it('does not open with another key', () => {
    const sealed = sealer.seal('secret', 'owner')
    expect(() => createSealer(`${key}x`).open(sealed, 'owner')).toThrow()
  })

  it('does not open for another owner', () => {
    const sealed = sealer.seal('secret', 'owner')
    expect(() => sealer.open(sealed, 'other')).toThrow()
    expect(() => sealer.open(sealed, '')).toThrow()
  })

  it('does not open when any part was altered', () => {
    const sealed = sealer.seal('secret', 'owner')
    for (const index of [0, 11, 12, 17, -16, -1]) {
      expect(() => sealer.open(altered(sealed, index), 'owner')).toThrow()
    }
  })

  it('does not open when it is cut, or has another form', () => {
    const sealed = sealer.seal('secret', 'owner')
    const wrong = ['', 'v1', 'v1.', 'v1.AAAA', sealed.slice(0, -4), sealed.replace('v1', 'v2')]
    for (const text of wrong) expect(() => sealer.open(text, 'owner')).toThrow()
  })
})
