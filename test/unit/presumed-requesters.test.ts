import { Hono, type HonoRequest } from 'hono'
import { beforeAll, describe, expect, it } from 'vitest'
import { unauthorized } from '../../src/errors.ts'
import { PresumedRequesters } from '../../src/http/presumed-requesters.ts'
import { requesterOf } from '../../src/http/requester.ts'

const ann = { kind: 'user', userId: 1, handle: 'ann', key: undefined } as const
const found = async () => ({ caller: ann })
const refused = () => Promise.reject(unauthorized())
const addresses = Array.from({ length: 200 }, (_, at) => `192.0.2.${at}`)

let request: HonoRequest

beforeAll(async () => {
  const app = new Hono().get('/', (c) => {
    request = c.req
    return c.text('')
  })
  await app.request('/')
})

describe('until it is known who calls', () => {
  const presumedBy =
    (presumed: PresumedRequesters) =>
    (key: string | undefined, address = '') => {
      const { name, isKeyless } = presumed.of(request, key, 'bob', () => address)
      return { name, isKeyless }
    }

  it('all keys and owners share a part with their address, and count as keyless', () => {
    const of = presumedBy(new PresumedRequesters())
    const one = of('1', '192.0.2.1')
    expect(one.isKeyless).toBe(true)
    expect(of('2', '192.0.2.1')).toEqual(one)
    expect(of(undefined, '192.0.2.1')).toEqual(one)
    expect(of('1', '2001:db8::1')).toEqual(of('1', '2001:db8::ffff:1'))
  })

  it('addresses share some parts, however many they are', () => {
    const of = presumedBy(new PresumedRequesters())
    expect(new Set(addresses.map((address) => of('1', address).name)).size).toBe(16)
  })

  it('a key that was verified has the part of its user, until it is nobody’s', async () => {
    const presumed = new PresumedRequesters()
    const of = presumedBy(presumed)
    await presumed.learn('1', found)
    const { name, isKeyless } = requesterOf(request, 'bob', ann)
    expect(of('1')).toEqual({ name, isKeyless })
    await expect(presumed.learn('1', () => Promise.reject(new Error('busy')))).rejects.toThrow()
    expect(of('1')).toEqual({ name, isKeyless })
    await expect(presumed.learn('1', refused)).rejects.toMatchObject({ kind: 'unauthorized' })
    expect(of('1')).toEqual(of('2'))
  })

  it('readers without a key have the part of an owner who has something public', () => {
    const presumed = new PresumedRequesters()
    const of = presumedBy(presumed)
    presumed.learnPublic('bob')
    const { name, isKeyless } = requesterOf(request, 'bob', { kind: 'anonymous' })
    expect(of(undefined)).toEqual({ name, isKeyless })
    expect(isKeyless).toBe(true)
    expect(of('1')).not.toEqual(of(undefined))
  })
})
