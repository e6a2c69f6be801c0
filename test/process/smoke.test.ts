import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../shared/ports.ts'
import { type Runtime, semblance, toItsEnd } from '../support/servers/program.ts'
import { request, runtimes } from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { newFolder, preparedSite, type Site } from '../support/servers/site.ts'

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

const smoke = async (runtime: Runtime, url: string, key: string) =>
  toItsEnd(
    semblance(runtime, ['smoke', '--url', url], {
      folder: await newFolder(),
      env: { SERVICE_ADMINKEY: key },
    }),
  )

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`semblance smoke (${runtime.name})`, () => {
    let site: Site = { folder: '', env: {}, adminKey: async () => '' }
    const running = sharedServer(runtime, async (atEnd) => {
      site = await preparedSite(atEnd)
      return site
    })

    it('tells a sound server from a broken one, and cleans up in both cases', async () => {
      const server = running()
      const { url, key } = server
      const sound = await smoke(runtime, url, key)
      expect(sound).toMatchObject({ exit: 0, stderr: '' })
      expect(sound.stdout).toMatch(/^(ok [^\n]+ \(\d+ ms\)\n){5,}/)

      const broken = await smoke(runtime, await breakSearches(url), key)
      expect(broken.exit).toBe(1)
      expect(broken.stderr).toMatch(/^semblance: [^\n]*\/v1\/similars[^\n]* 500 [^\n]*\n$/)
      const users = await request(server, 'GET', '/v1/users')
      expect(users).toEqual({ status: 200, body: { users: [] } })

      const stranger = await smoke(runtime, url, 'not-the-administrators-key')
      expect(stranger).toMatchObject({ exit: 1, stdout: '' })
      expect(stranger.stderr).toMatch(/^semblance: [^\n]* 401 [^\n]*\n$/)
    })

    it('takes the key that the server of the folder has generated', async () => {
      const { url } = running()
      const found = await toItsEnd(semblance(runtime, ['smoke', '--url', url], site))
      expect(found).toMatchObject({ exit: 0, stderr: '' })
      const file = join(site.folder, 'data/admin.key')
      expect(found.stdout).toMatch(`With the administrator key in ${file}\nok `)

      const folder = await newFolder()
      const lost = await toItsEnd(semblance(runtime, ['smoke', '--url', url], { folder, env: {} }))
      expect(lost).toMatchObject({ exit: 1, stdout: '' })
      expect(lost.stderr).toMatch(
        /^semblance: SERVICE_ADMINKEY must be .* \S*\/data\/admin.key cannot be read \(ENOENT\)\n$/,
      )
    })

    it('sends the key of the folder to no other machine', async () => {
      const args = ['smoke', '--url', 'http://smoke.invalid:8880']
      const { stderr } = await toItsEnd(semblance(runtime, args, site))
      expect(stderr).toMatch(/^semblance: SERVICE_ADMINKEY must be .* to no other machine\n$/)
    })

    it('says that there is no server', async () => {
      const outcome = await smoke(runtime, `http://127.0.0.1:${await freePort()}`, 'any-key')
      expect(outcome).toMatchObject({ exit: 1, stdout: '' })
      expect(outcome.stderr).toMatch(/^semblance: [^\n]*no answer from [^\n]*\n$/)
    })
  })
}
