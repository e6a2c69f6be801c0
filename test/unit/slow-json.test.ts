import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { slowJson } from '../../src/http/json-answer.ts'

/** Asks for a value; the beat is a millisecond. */
async function ask(value: Promise<unknown>) {
  const failures: unknown[] = []
  const app = new Hono()
  app.get('/', (c) => slowJson(c, value, (error) => failures.push(error), 1))
  app.onError((error, c) => c.text(error.message, 503))
  return { response: await app.request('/'), failures }
}

describe('a JSON answer that may take long', () => {
  it('is an ordinary one when it does not', async () => {
    const { response } = await ask(Promise.resolve({ status: 'PASSED' }))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe('{"status":"PASSED"}')
  })

  it('is an ordinary error when it fails soon', async () => {
    const { response, failures } = await ask(Promise.reject(new Error('no database')))
    expect([response.status, await response.text()]).toEqual([503, 'no database'])
    expect(failures).toEqual([])
  })

  it('begins with white space while one waits', async () => {
    const events = new EventEmitter()
    const { response } = await ask(once(events, 'there').then(([value]) => value))
    expect(response.status).toBe(200)
    await sleep(20)
    events.emit('there', { status: 'PASSED' })
    const text = await response.text()
    expect(text).toMatch(/^ +\{"status":"PASSED"\}$/)
    expect(JSON.parse(text)).toEqual({ status: 'PASSED' })
  })

  it('breaks off when it fails late', async () => {
    const events = new EventEmitter()
    const { response, failures } = await ask(once(events, 'there'))
    events.emit('error', new Error('no database'))
    await expect(response.text()).rejects.toThrow('no database')
    expect(failures).toEqual([expect.objectContaining({ message: 'no database' })])
  })
})
