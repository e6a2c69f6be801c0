import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/ports.ts'
import { node, semblance, toItsEnd } from '../support/program.ts'
import { request, runtimes, startServer } from '../support/server.ts'
import { newFolder, preparedSite, prepareSite } from '../support/site.ts'

beforeAll(prepareSite)

/** A proxy in front of the server that makes every search fail. */
async function breakSearches(url: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/v1/similars')) return outgoing.writeHead(500).end('broken')
    const { method, headers } = incoming
    const forwarded = httpRequest(url + incoming.url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    return incoming.pipe(forwarded)
  })
  const port = await freePort()
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  return `http://127.0.0.1:${port}`
}

const smoke = async (url: string, key: string, runtime = node) =>
  toItsEnd(
    semblance(runtime, ['smoke', '--url', url], {
      folder: await newFolder(),
      env: { SERVICE_ADMINKEY: key },
    }),
  )

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`semblance smoke (${runtime.name})`, () => {
    it('tells a sound server from a broken one, and cleans up in both cases', async () => {
      const server = await startServer(runtime, await preparedSite())
      const sound = await smoke(server.url, server.key, runtime)
      expect(sound).toMatchObject({ exit: 0, stderr: '' })
      expect(sound.stdout).toMatch(/^(ok [^\n]+ \(\d+ ms\)\n){5,}/)

      const broken = await smoke(await breakSearches(server.url), server.key, runtime)
      expect(broken).toMatchObject({
        exit: 1,
        stderr: expect.stringMatching(/^semblance: [^\n]*\/v1\/similars[^\n]* 500 [^\n]*\n$/),
      })
      const users = await request(server, 'GET', '/v1/users')
      expect(users).toEqual({ status: 200, body: { users: [] } })
    })

    it('says when there is no server, or the key is wrong', async () => {
      const server = await startServer(runtime, await preparedSite())
      expect(await smoke(server.url, 'not-the-administrators-key', runtime)).toEqual({
        exit: 1,
        stdout: '',
        stderr: expect.stringMatching(/^semblance: [^\n]* 401 [^\n]*\n$/),
      })
      const nowhere = `http://127.0.0.1:${await freePort()}`
      expect(await smoke(nowhere, server.key, runtime)).toEqual({
        exit: 1,
        stdout: '',
        stderr: expect.stringMatching(/^semblance: [^\n]*no answer from [^\n]*\n$/),
      })
    })
  })
}
