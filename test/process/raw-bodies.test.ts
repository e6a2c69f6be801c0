import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { RawConnection } from '../support/servers/raw-http.ts'
import { createProject, request, runtimes, type Server } from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { preparedSite } from '../support/servers/site.ts'

const mebibyte = Buffer.alloc(1024 * 1024, ' ')
const gibibytes = 10 * 2 ** 30
const search = '/v1/similars/ann/texts'

async function connection({ url }: Server): Promise<RawConnection> {
  const opened = await RawConnection.open(url)
  onTestFinished(() => opened.close())
  return opened
}

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')
const length = (bytes: number) => `Content-Length: ${bytes}`

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`a body (${runtime.name})`, () => {
    // With room for 16 MiB of bodies without a key.
    const running = sharedServer(runtime, preparedSite, `--max-body=${mebibyte.length}`)
    beforeAll(async () => {
      await createProject(running(), 3)
      const change = { public_read: true }
      const { status } = await request(running(), 'PATCH', '/v1/projects/ann/texts', change)
      expect(status).toBe(200)
    })

    it('of 10 GiB is refused at its headers, after the method, the path and the key', async () => {
      const server = running()
      const authorization = `Authorization: Bearer ${server.key}`
      const cases: [status: number, ...head: Parameters<typeof head>][] = [
        [413, 'POST', search],
        [413, 'POST', '/mcp'],
        [413, 'POST', '/v1/users', authorization],
        [413, 'POST', '/v1/embeddings/ann/texts', authorization],
        [401, 'POST', '/v1/users'],
        [401, 'POST', '/v1/users', 'Authorization: Bearer nobody'],
        [405, 'PATCH', '/v1/users', authorization],
        [404, 'POST', '/v1/nothing', authorization],
      ]
      for (const [status, method, path, ...lines] of cases) {
        for (const sent of [Buffer.alloc(0), mebibyte]) {
          const raw = await connection(server)
          await raw.send(head(method, path, ...lines, length(gibibytes)))
          await raw.send(sent)
          const answer = await raw.answer()
          expect(answer, `${method} ${path}`).toMatchObject({ status })
          expect(JSON.parse(answer.body)).toMatchObject({ status })
          raw.close()
        }
      }
    })

    it('that is refused early may come to its end, with pauses, and another request', async () => {
      const server = running()
      for (const path of [search, '/v1/users']) {
        const raw = await connection(server)
        await raw.send(head('POST', path, length(8 * mebibyte.length)))
        for (let sent = 0; sent < 8; sent += 1) {
          await raw.send(mebibyte)
          if (sent === 3) await sleep(1_500)
        }
        expect(await raw.answer()).toMatchObject({ status: path === search ? 413 : 401 })
        await raw.send(head('GET', '/livez'))
        expect(await raw.answer()).toMatchObject({ status: 200 })
      }
    })

    it('in chunks is refused as soon as it passes the limit', async () => {
      const raw = await connection(running())
      await raw.send(head('POST', search, 'Transfer-Encoding: chunked'))
      for (let sent = 0; sent < 2; sent += 1) {
        await raw.send(`${mebibyte.length.toString(16)}\r\n`)
        await raw.send(mebibyte)
        await raw.send('\r\n')
      }
      expect(await raw.answer()).toMatchObject({ status: 413 })
    })

    it('that stalls or drips is answered 408, and the connection closed', async () => {
      const server = running()
      const slow = async (path: string, sent: Uint8Array, drips: boolean, ...lines: string[]) => {
        const raw = await connection(server)
        await raw.send(head('POST', path, length(sent.length + 10_000), ...lines))
        await raw.send(sent)
        const timer = setInterval(() => drips && raw.send(' '), 100)
        const answer = await raw.answer().finally(() => clearInterval(timer))
        expect(answer.status).toBe(408)
        expect(answer.head).toContain('connection: close')
        const detail = 'The body arrives too slowly; send at least 16384 bytes a second'
        expect(JSON.parse(answer.body)).toEqual({ title: 'Request Timeout', status: 408, detail })
        await raw.ended()
      }
      const most = mebibyte.subarray(10_000)
      const start = gzipSync('{"vector":[1,2,3]}').subarray(0, 20)
      await Promise.all([
        slow(search, Buffer.from('{'), false),
        slow(search, most, false),
        slow(search, most, true),
        slow(search, start, false, 'Content-Encoding: gzip'),
        slow('/mcp', Buffer.from('{'), true),
      ])
    })

    it('frees its room when its client hangs up', async () => {
      const server = running()
      const small = mebibyte.subarray(0, 100_000)
      const statusOfOneMore = async () => {
        const raw = await connection(server)
        await raw.send(head('POST', search, length(small.length)))
        await raw.send(small)
        const { status } = await raw.answer()
        raw.close()
        return status
      }
      for (let round = 0; round < 2; round += 1) {
        const held = await Promise.all(Array.from({ length: 16 }, () => connection(server)))
        for (const raw of held) {
          await raw.send(head('POST', search, length(mebibyte.length)))
          await raw.send(mebibyte.subarray(1))
        }
        await expect.poll(statusOfOneMore).toBe(503)
        for (const raw of held) raw.close()
        await expect.poll(statusOfOneMore).toBe(400)
      }
      const { body } = await request(server, 'GET', '/v1/embeddings/ann/texts')
      expect(body).toMatchObject({ total_count: 0 })
    })
  })
}
