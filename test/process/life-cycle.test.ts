import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { commandOf } from '../shared/search-path.ts'
import { embedding } from '../support/factories.ts'
import { preparedFolder } from '../support/servers/prepared.ts'
import { Program, toItsEnd } from '../support/servers/program.ts'
import {
  createProject,
  request,
  type Server,
  stages,
  startServer,
} from '../support/servers/server.ts'
import type { Site } from '../support/servers/site.ts'

const embeddings = '/v1/embeddings/ann/texts'
const vector = () => Array.from({ length: 1536 }, () => Math.random() - 0.5)

/** Runs what the server printed as a command to try. */
async function tryCurl({ program }: Server, site: Site): Promise<void> {
  const said = program.log.map(({ msg }) => /^Try: (.*)$/.exec(`${msg}`)?.[1])
  const curl = said.find((line) => line !== undefined) ?? ''
  expect(program.stdout, 'start-up lines go where the logs go').toBe('')
  const answer = await toItsEnd(new Program('sh', ['-c', `${curl} -sS -w '%{http_code}'`], site))
  expect(answer).toEqual({ exit: 0, stdout: '{"users":[]}200', stderr: '' })
}

for (const { title, runtime, newSite, site: anySite } of stages) {
  describe.skipIf(runtime.command === undefined)(`a server (${title})`, () => {
    it('prints a curl line that works, and keeps its data and keys over a restart', async () => {
      const site = await newSite()
      const first = await startServer(runtime, site)
      if (commandOf('curl')) await tryCurl(first, site)
      await createProject(first, 3)
      const item = embedding('a', [1, 2, 3], { text: 'some text', metadata: { page: 7 } })
      const stored = await request(first, 'POST', embeddings, { embeddings: [item] })
      expect(stored.status).toBe(201)
      first.program.signal('SIGTERM')
      expect(await first.program.exit).toBe(0)

      const second = await startServer(runtime, site)
      expect(second.key).toBe(first.key)
      const kept = await request(second, 'GET', `${embeddings}/a`)
      expect(kept).toMatchObject({ status: 200, body: item })
      const user = await request(second, 'PUT', '/v1/users/ann', {})
      expect(user).toMatchObject({ status: 200, body: { api_key: expect.stringMatching(/^smb_/) } })
    })

    it('has what it acknowledged, 30 MB at once, after it was killed', async () => {
      const site = await anySite()
      const first = await startServer(runtime, site)
      await createProject(first, 1536)
      const items = Array.from({ length: 1000 }, (_, index) => embedding(`t${index}`, vector()))
      expect(JSON.stringify(items).length).toBeGreaterThan(28_000_000)
      const stored = await request(first, 'POST', embeddings, { embeddings: items })
      expect(stored.status).toBe(201)
      first.program.signal('SIGKILL')
      expect(await first.program.exit).toBe('SIGKILL')

      const second = await startServer(runtime, site)
      const kept = await request(second, 'GET', `${embeddings}?limit=1`)
      expect(kept).toMatchObject({ status: 200, body: { total_count: 1000 } })
    })
  })
}

it('the files of an embedded database can be read by their owner only', async () => {
  const folder = join(await preparedFolder(inject('prepared'), 'started'), 'data')
  const permissions = async (name: string) => (await stat(join(folder, name))).mode & 0o777
  expect(await permissions('.')).toBe(0o700)
  expect(await permissions('admin.key')).toBe(0o600)
  expect(await permissions('encryption.key')).toBe(0o600)
})
