import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { parseAllowedHosts } from '../../src/providers/allowed-hosts.ts'
import { createPost } from '../../src/providers/post.ts'
import { startLocalHttp } from '../support/servers/local-http.ts'

const local: LookupAddress = { address: '127.0.0.1', family: 4 }

interface More {
  readonly resolve?: () => Promise<LookupAddress[]>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** Sends a body to a URL, where a list of hosts may be asked. */
const postTo = (url: string, list = '127.0.0.0/8', { resolve, ...more }: More = {}) =>
  createPost(
    parseAllowedHosts(list) ?? expect.fail(list),
    resolve,
  )({
    url: new URL(url),
    headers: { Authorization: 'Bearer secret' },
    body: Buffer.from('{}'),
    maxBytes: 10_000,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...more,
  })

describe('what is sent to a provider', () => {
  it('goes to the address that its name stood for when it was allowed', async () => {
    const hosts: (string | undefined)[] = []
    const port = await startLocalHttp((request, response) => {
      hosts.push(request.headers.host)
      response.end('{}')
    })
    let asked = 0
    const resolve = async () => {
      asked += 1
      return [local]
    }
    const list = `api.example.com:${port},127.0.0.0/8`
    const reply = await postTo(`http://api.example.com:${port}/`, list, { resolve })
    expect(reply).toMatchObject({ status: 200 })
    expect(hosts).toEqual([`api.example.com:${port}`])
    expect(asked).toBe(1)
  })

  it('does not go where a name leads that is bound anew to an address of the house', async () => {
    let requests = 0
    const port = await startLocalHttp((_, response) => {
      requests += 1
      response.end('{}')
    })
    for (const addresses of [
      [local],
      [{ address: '::ffff:127.0.0.1', family: 6 }],
      [{ address: '169.254.169.254', family: 4 }, local],
      [],
    ]) {
      for (const list of ['*', `rebind.example:${port}`]) {
        const resolve = async () => addresses
        const sent = postTo(`http://rebind.example:${port}/`, list, { resolve })
        await expect(sent).rejects.toMatchObject({ kind: 'forbidden' })
      }
    }
    expect(requests).toBe(0)
  })

  it('is answered by so many bytes, and in so much time', async () => {
    const endless = await startLocalHttp((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(1_000)), 1)
      response.once('close', () => clearInterval(timer))
    })
    await expect(postTo(`http://127.0.0.1:${endless}/`)).rejects.toMatchObject({
      kind: 'bad-gateway',
      message: expect.stringContaining('10000 bytes'),
    })
    const slow = await startLocalHttp((_, response) => {
      const timer = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(timer))
    })
    for (const port of [slow, await startLocalHttp(() => {})]) {
      const late = postTo(`http://127.0.0.1:${port}/`, undefined, { timeoutMs: 200 })
      await expect(late).rejects.toMatchObject({ kind: 'gateway-timeout' })
    }
  })

  it('ends when nobody waits for the answer any more', async () => {
    let close = () => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const port = await startLocalHttp((_, response) => response.once('close', close))
    const client = new AbortController()
    const sent = postTo(`http://127.0.0.1:${port}/`, undefined, { signal: client.signal })
    setTimeout(() => client.abort(), 50)
    await expect(sent).rejects.toMatchObject({ kind: 'cancelled' })
    await closed
  })

  it('says why no connection comes about, without an address', async () => {
    const port = await startLocalHttp(() => {})
    const gone = postTo(`http://127.0.0.1:${port === 1 ? 2 : 1}/`)
    await expect(gone).rejects.toMatchObject({
      message: 'The embedding provider could not be reached (ECONNREFUSED)',
    })
  })
})
