import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../src/http/json-answer.ts'
import type { Details } from '../../src/log.ts'

describe('an answer in parts', () => {
  it('has each of them read in the context of its request', async () => {
    const requester = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    async function* rest() {
      for (const part of [',2', ',3', ']']) {
        await sleep(1)
        seen.push(requester.getStore())
        yield part
      }
    }
    const app = new Hono()
    app.get('/', (c) =>
      requester.run('somebody', async () => jsonText(c, { text: '[1', rest: rest() }, 'list')),
    )
    expect(await (await app.request('/')).json()).toEqual([1, 2, 3])
    expect(seen).toEqual(['somebody', 'somebody', 'somebody'])
  })

  it.each([
    ['breaks off when one fails, which is logged', false, [['list broken off', new Error('lost')]]],
    ['is not logged when the client has hung up', true, []],
  ])('%s', async (_, hangsUp, expected) => {
    const client = new AbortController()
    async function* rest() {
      yield ',2'
      if (hangsUp) client.abort()
      throw new Error('lost')
    }
    const told: unknown[] = []
    const log = { warn: (message: string, { cause }: Details) => told.push([message, cause]) }
    const app = new Hono<{ Variables: { server: object } }>()
    app.get('/', (c) => {
      c.set('server', { log })
      return jsonText(c, { text: '[1', rest: rest() }, 'list')
    })
    const response = await app.request('/', { signal: client.signal })
    await expect(response.text()).rejects.toThrow('lost')
    expect(told).toEqual(expected)
  })
})
