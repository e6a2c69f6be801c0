import { describe, expect, it } from 'vitest'
import { hashKey, newApiKey } from '../../src/secrets/keys.ts'
import { createSealer } from '../../src/secrets/sealing.ts'
import { Secrets, secretsIn } from '../support/secrets/secrets.ts'

const providerKey = 'the "provider" key/of+ann'
const userKey = newApiKey()

function knowing() {
  const secrets = new Secrets()
  secrets.add(providerKey)
  secrets.addIssued(userKey)
  return secrets
}

describe('the search for secrets', () => {
  it.each([
    ['as it is', providerKey],
    ['in JSON', JSON.stringify({ key: providerKey })],
    ['in a URL', `/v1/users?key=${encodeURIComponent(providerKey)}`],
    ['in base64', Buffer.from(providerKey).toString('base64')],
    ['in base64url', Buffer.from(providerKey).toString('base64url')],
    ['in hex', Buffer.from(providerKey).toString('hex')],
  ])('finds what was submitted %s', (_, text) => {
    expect(knowing().findIn(`before ${text} after`)).toHaveLength(1)
    expect(knowing().findShownIn(`before ${text} after`)).toHaveLength(1)
  })

  it.each([
    ['as it is', userKey],
    ['without its checksum', userKey.slice(0, 47)],
    ['that nobody was seen to get', newApiKey()],
    ['in hex', Buffer.from(userKey).toString('hex')],
    ['in base64', Buffer.from(userKey).toString('base64')],
  ])("finds a user's key %s", (_, text) => {
    expect(knowing().findIn(`{"message":"${text}"}`)).toHaveLength(1)
  })

  it('finds it in the bytes of a file', () => {
    const bytes = Buffer.alloc(10_000, 0xff)
    expect(knowing().findInBytes(bytes)).toEqual([])
    bytes.write(userKey, 4_000)
    expect(knowing().findInBytes(bytes)).toHaveLength(1)
    bytes.fill(0).write(providerKey, 4_000)
    expect(knowing().findInBytes(bytes)).toHaveLength(1)
  })

  it('finds what only the database may hold, where it is shown', () => {
    const sealed = createSealer('an-encryption-key-of-32-characters').seal('secret', 'owner')
    for (const text of [hashKey(userKey), sealed]) {
      expect(knowing().findShownIn(`{"detail":"${text}"}`)).toHaveLength(1)
      expect(knowing().findIn(`{"detail":"${text}"}`)).toEqual([])
    }
  })

  it('takes no part of a sealed text for a key', () => {
    const sealed = `v2.1234abcd.${'x'.repeat(50)}smb_${'y'.repeat(60)}`
    expect(knowing().findIn(`(ann,${sealed},2026)`)).toEqual([])
    expect(knowing().findInBytes(Buffer.from(`${sealed}\0${userKey}`))).toHaveLength(1)
    expect(knowing().findIn(`v1.${userKey}`)).toHaveLength(1)
    expect(knowing().findIn(`v2.1234abcd.${'x'.repeat(50)}${userKey}`)).toHaveLength(1)
  })

  it('permits the one key that an answer may hold, and no other', () => {
    const text = `{"api_key":"${userKey}"}`
    expect(knowing().findIn(text, userKey)).toEqual([])
    expect(knowing().findIn(text + newApiKey(), userKey)).toHaveLength(1)
  })

  it('takes nothing else for a secret', () => {
    const text = `${hashKey('x')} smb_ smb_00000000000000000000000000000000000000000006tu5Xg v2.0.1`
    expect(knowing().findShownIn(text)).toEqual([])
  })
})

describe('the secrets of a request', () => {
  it.each([
    ['{"api_key_encrypted": "a \\"quoted\\" key"}', 'a "quoted" key'],
    ['{"api_key_encrypted":"cut off" "x', 'cut off'],
    ['{"api_key": "mine", "name": "Ann"}', 'mine'],
    ['{"api_key": "bad \\x escape"}', 'bad \\x escape'],
  ])('are found in %j', (body, secret) => {
    expect([...secretsIn(body)]).toEqual([secret])
  })
})
