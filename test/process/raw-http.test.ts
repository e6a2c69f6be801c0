import { describe, expect, it } from 'vitest'
import { node } from '../support/servers/program.ts'
import { RawConnection, sendRaw } from '../support/servers/raw-http.ts'
import { everyRuntime } from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { preparedSite } from '../support/servers/site.ts'

const titles: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}
const long = 'x'.repeat(70_000)

/** What never becomes a request for the service, and the status that says so. */
const unparsable: [what: string, bytes: string, status: number][] = [
  ['no HTTP at all', 'HELLO\r\n\r\n', 400],
  ['a malformed request line', 'GET /livez HTTP/9.x\r\n\r\n', 400],
  ['an unknown method', 'BREW /livez HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a proxy request', 'CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ['a malformed header', 'GET /livez HTTP/1.1\r\nHost: x\r\n : y\r\n\r\n', 400],
  ['a negative length', 'PUT /v1 HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
  ['a malformed URL', 'GET http://[/livez HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['oversized headers', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`, 431],
  ['an oversized URL', `GET /livez?${long} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ['an expectation', 'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n', 417],
]
/** Bun's parser answers what is above by itself, and what has no Host at all. */
const hostless = ['no Host', 'GET /livez HTTP/1.1\r\n\r\n', 400] as const
const badHosts: [what: string, bytes: string, status: number][] = [
  ['an empty Host', 'GET /livez HTTP/1.1\r\nHost:\r\n\r\n', 400],
  ['a malformed Host', 'GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['two Hosts', 'GET /livez HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\n\r\n', 400],
]

/** A request after which the connection is closed. */
const lastOf = (bytes: string) => bytes.replace(/\r\n$/, 'Connection: close\r\n\r\n')

const tooLong = Buffer.alloc(70_000_000, ' ')

for (const runtime of everyRuntime) {
  describe.skipIf(runtime.command === undefined)(`the error body (${runtime.name})`, () => {
    const running = sharedServer(runtime, preparedSite)

    it.skipIf(runtime !== node)(
      'comes over connections that are kept longer than a proxy keeps them',
      async () => {
        const answer = await fetch(`${running().url}/livez`)
        expect(answer.headers.get('keep-alive')).toBe('timeout=75')
      },
    )

    it('is sent for what is no request and for a body of 70 MB, to one who reads late', async () => {
      const { url, key } = running()
      const cases = runtime === node ? [...unparsable, hostless, ...badHosts] : badHosts
      for (const [what, bytes, status] of cases) {
        const answer = await sendRaw(url, bytes)
        expect.soft(answer.status, what).toBe(status)
        expect.soft(answer.head, what).toContain('content-type: application/problem+json')
        const body: unknown = JSON.parse(answer.body)
        const detail: unknown = expect.stringMatching(/\S/)
        expect.soft(body, what).toEqual({ title: titles[status], status, detail })
      }

      const head = `POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: ${tooLong.length}\r\n`
      const refused = await sendRaw(url, `${head}Authorization: Bearer ${key}\r\n\r\n`, tooLong)
      expect(refused.status).toBe(413)
      expect(JSON.parse(refused.body)).toEqual({
        title: 'Payload Too Large',
        status: 413,
        detail: 'The body is larger than the limit of 1048576 bytes',
      })
      expect(await sendRaw(url, `${head}\r\n`, tooLong)).toMatchObject({ status: 401 })
      const sound = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
      expect(await sendRaw(url, sound)).toMatchObject({ status: 200 })
    })

    it('is left out where the request is a HEAD', async () => {
      const { url } = running()
      const cases = runtime === node ? [...unparsable, hostless, ...badHosts] : badHosts
      for (const [what, bytes, status] of cases.filter(([, each]) => each.startsWith('GET '))) {
        const connection = await RawConnection.open(url)
        await connection.send(lastOf(bytes.replace('GET', 'HEAD')))
        const answer = await connection.untilEnd()
        expect.soft(answer, what).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        expect.soft(answer.slice(answer.indexOf('\r\n\r\n')), what).toBe('\r\n\r\n')
      }
    })

    it('reaches nobody, and ends nothing, when a client is gone by then', async () => {
      const { url } = running()
      for (const [, bytes] of [...unparsable, ...badHosts]) {
        for (let times = 0; times < 20; times += 1) {
          const connection = await RawConnection.open(url)
          await connection.send(bytes)
          connection.reset()
        }
      }
      const sound = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
      expect(await sendRaw(url, sound)).toMatchObject({ status: 200 })
    })
  })
}
