import { beforeAll, describe, expect, it } from 'vitest'
import { node } from '../support/program.ts'
import { sendRaw } from '../support/raw-http.ts'
import { runtimes, startServer } from '../support/server.ts'
import { preparedSite, prepareSite } from '../support/site.ts'

beforeAll(prepareSite)

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
]

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`what is no request (${runtime.name})`, () => {
    it('is refused with the error body', async () => {
      const { url } = await startServer(runtime, await preparedSite())
      const cases = runtime === node ? [...unparsable, hostless, ...badHosts] : badHosts
      for (const [what, bytes, status] of cases) {
        const answer = await sendRaw(url, bytes)
        expect.soft(answer.status, what).toBe(status)
        expect.soft(answer.head, what).toContain('content-type: application/problem+json')
        const body: unknown = JSON.parse(answer.body)
        const detail: unknown = expect.stringMatching(/\S/)
        expect.soft(body, what).toEqual({ title: titles[status], status, detail })
      }
      expect(await sendRaw(url, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')).toMatchObject({
        status: 200,
      })
    })
  })
}

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`a body of 70 MB (${runtime.name})`, () => {
    const body = Buffer.alloc(70_000_000, ' ')
    it('is refused also when the client sends all of it before it reads', async () => {
      const { url, key } = await startServer(runtime, await preparedSite())
      const head = `POST /v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
      const answer = await sendRaw(url, `${head}Content-Length: ${body.length}\r\n\r\n`, body)
      expect(answer.status).toBe(413)
      expect(JSON.parse(answer.body)).toEqual({
        title: 'Payload Too Large',
        status: 413,
        detail: 'The body is larger than the limit of 67108864 bytes',
      })
      const nobody = 'POST /v1/users HTTP/1.1\r\nHost: x\r\n'
      const unknown = await sendRaw(url, `${nobody}Content-Length: ${body.length}\r\n\r\n`, body)
      expect(unknown.status).toBe(401)
    })
  })
}
