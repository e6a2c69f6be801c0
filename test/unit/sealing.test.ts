import { describe, expect, it } from 'vitest'
import { createSealer } from '../../src/secrets/sealing.ts'

const key = 'a key of at least 32 characters!'
const sealer = createSealer(key)
const prefix = /^v2\.[0-9a-f]{8}\./.exec(sealer.seal('', ''))?.[0] ?? ''

const bytesOf = (sealed: string) => Buffer.from(sealed.slice(prefix.length), 'base64url')

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
      expect(text).toMatch(/^v2\.[0-9a-f]{8}\.[\w-]+$/)
      expect(bytesOf(text).toString('latin1')).not.toContain('secret')
    }
  })

  it('says which key sealed it', () => {
    expect(createSealer(key).seal('another', 'other')).toContain(prefix)
    expect(createSealer(`${key}x`).seal('secret', 'owner')).not.toContain(prefix)
  })

  it('has a nonce of 12 bytes and a tag of 16', () => {
    expect(bytesOf(sealer.seal('secret', 'owner')).length).toBe(12 + 'secret'.length + 16)
  })

  it('does not open with another key, whatever key it names', () => {
    const sealed = sealer.seal('secret', 'owner')
    const other = createSealer(`${key}x`)
    const otherPrefix = other.seal('', '').slice(0, prefix.length)
    expect(() => other.open(sealed, 'owner')).toThrow()
    expect(() => other.open(sealed.replace(prefix, otherPrefix), 'owner')).toThrow()
    expect(() => sealer.open(sealed.replace(prefix, otherPrefix), 'owner')).toThrow()
  })

  it('does not open for another owner', () => {
    const sealed = sealer.seal('secret', 'owner')
    for (const other of ['other', '', 'owner ', `${prefix}owner`]) {
      expect(() => sealer.open(sealed, other)).toThrow()
    }
  })

  it('does not open when any character of it was altered, removed or added', () => {
    const sealed = sealer.seal('secret', 'owner')
    for (const index of Array.from(sealed).keys()) {
      const [before, after] = [sealed.slice(0, index), sealed.slice(index + 1)]
      for (const character of 'ABQgw0129_-.=+/ \n\0vé') {
        if (character === sealed[index]) continue
        expect(() => sealer.open(before + character + after, 'owner')).toThrow()
        expect(() => sealer.open(sealed + character, 'owner')).toThrow()
        expect(() => sealer.open(character + sealed, 'owner')).toThrow()
      }
      expect(() => sealer.open(before + after, 'owner')).toThrow()
    }
  })

  it('does not open when it is cut, or has another form', () => {
    const sealed = sealer.seal('secret', 'owner')
    const text = sealed.slice(prefix.length)
    const wrong = ['', 'v1', 'v1.', 'v2..', 'v1.AAAA', prefix, `${prefix}AAAA`, text, `.${text}`]
    const renamed = [`v1.${text}`, `v3${sealed.slice(2)}`, `v2.${text}`, `V2${sealed.slice(2)}`]
    for (const other of [...wrong, ...renamed, sealed.slice(0, -4), sealed.slice(0, -1)]) {
      expect(() => sealer.open(other, 'owner'), other).toThrow()
    }
  })
})
