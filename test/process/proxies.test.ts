import { lookup } from 'node:dns/promises'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openai, startProvider } from '../support/servers/embedding-provider.ts'
import { startLocalHttp } from '../support/servers/local-http.ts'
import { bun, Program, type Runtime, semblance, toItsEnd } from '../support/servers/program.ts'
import {
  createProject,
  everyRuntime,
  request,
  type Server,
  startServer,
} from '../support/servers/server.ts'
import { newFolder, preparedSite } from '../support/servers/site.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What uses the built client. */
const asks = `import { createClient } from ${JSON.stringify(join(root, 'clients/typescript/dist/client.js'))}
const { SEMBLANCE_URL: url, SEMBLANCE_KEY: key } = process.env
const { response } = await createClient({ url, key }).GET('/v1/users')
process.stdout.write(\`\${response.status}\`)`

/** A proxy that refuses everything, and what came to it. */
async function startProxy() {
  const seen: string[] = []
  const port = await startLocalHttp(
    ({ method, url }, response) => {
      seen.push(`${method} ${url}`)
      response.writeHead(502).end('no way through')
    },
    (to) => seen.push(`CONNECT ${to}`),
  )
  const proxy = `http://127.0.0.1:${port}`
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  // The last is for versions of Node that know it.
  const env = { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: '1' }
  return { seen, env }
}

/** The check of the image of this runtime, as the Dockerfile has it. */
async function healthCheck({ name, command }: Runtime): Promise<string[]> {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8')
  const stage = text.slice(text.indexOf(` AS ${name.toLowerCase()}\n`))
  const words: string[] = JSON.parse(/HEALTHCHECK [^[]*(\[.*\])/.exec(stage)?.[1] ?? '')
  return words.map((word) => (word === name.toLowerCase() ? (command ?? '') : word))
}

for (const runtime of everyRuntime) {
  describe.skipIf(runtime.command === undefined)(`beside a proxy (${runtime.name})`, () => {
    async function start(env: Readonly<Record<string, string>>): Promise<Server> {
      const site = await preparedSite()
      const hosts = { SERVICE_EMBEDDINGHOSTS: '127.0.0.0/8' }
      return startServer(runtime, { ...site, env: { ...site.env, ...env, ...hosts } })
    }

    it('what is for this machine does not go through it, from the command line or the client', async () => {
      const { seen, env } = await startProxy()
      const { url, key } = await start({ SERVICE_HOST: '127.0.0.1' })
      const folder = await newFolder()
      const isLocalhost = (await lookup('localhost')).address === '127.0.0.1'
      await writeFile(join(folder, 'asks.mjs'), asks)
      for (const host of ['127.0.0.1', ...(isLocalhost ? ['localhost'] : [])]) {
        const at = new URL(url)
        at.hostname = host
        const given = { SERVICE_ADMINKEY: key, SEMBLANCE_KEY: key, SEMBLANCE_URL: at.href }
        const surroundings = { folder, env: { ...env, ...given } }
        for (const args of [
          ['smoke', '--url', at.href],
          ['backup', join(folder, `${host}.tar`), '--url', at.href],
        ]) {
          const outcome = await toItsEnd(semblance(runtime, args, surroundings))
          expect(outcome).toMatchObject({ exit: 0, stderr: '' })
        }
        const client = new Program(runtime.command ?? '', ['asks.mjs'], surroundings)
        expect(await toItsEnd(client)).toEqual({ exit: 0, stdout: '200', stderr: '' })
      }
      const [command = '', ...args] = await healthCheck(runtime)
      const health = { ...env, SERVICE_PORT: new URL(url).port }
      const healthy = new Program(command, args, { folder, env: health })
      expect(await toItsEnd(healthy)).toMatchObject({ exit: 0 })
      expect(seen).toEqual([])
    })

    it('a server asks embedding providers itself, since a proxy knows nothing of allowed hosts', async () => {
      const { seen, env } = await startProxy()
      const server = await start(env)
      const provider = await startProvider(openai)
      await createProject(server, 2)
      const body = { endpoint: provider.url }
      await request(server, 'PATCH', '/v1/llm-services/ann/model', body)
      const embeddings = [{ text_id: 'n', text: 'north' }]
      const path = '/v1/embeddings/ann/texts?embed=true'
      expect((await request(server, 'POST', path, { embeddings })).status).toBe(201)
      expect(provider.received).toHaveLength(1)
      expect(seen).toEqual([])
    })
  })
}

it.skipIf(bun.command === undefined)('what is for others does, on Bun', async () => {
  const { seen, env } = await startProxy()
  const at = { folder: await newFolder(), env: { ...env, SERVICE_ADMINKEY: 'any-key' } }
  await toItsEnd(semblance(bun, ['smoke', '--url', 'http://smoke.invalid:8880'], at))
  expect(seen).toEqual([expect.stringContaining('http://smoke.invalid:8880/')])
})
