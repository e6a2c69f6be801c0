import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { commandOf } from '../shared/search-path.ts'
import { embedding } from '../support/factories.ts'
import { preparedFolder } from '../support/servers/prepared.ts'
import { Program, toItsEnd } from '../support/servers/program.ts'
import {
  created,
  createProject,
  request,
  type Server,
  type Stage,
  stages,
  startServer,
  upload,
} from '../support/servers/server.ts'
import type { Site } from '../support/servers/site.ts'

const embeddings = '/v1/embeddings/ann/texts'
const vectorOf = (component: (index: number) => number) =>
  Array.from({ length: 1536 }, (_, index) => component(index))

/** 30 MB. */
const atOnce = 999

/** Runs what the server printed as a command to try. */
async function tryCurl({ program }: Server, site: Site): Promise<void> {
  const said = program.log.map(({ msg }) => /^Try: (.*)$/.exec(`${msg}`)?.[1])
  const curl = said.find((line) => line !== undefined) ?? ''
  expect(program.stdout, 'start-up lines go where the logs go').toBe('')
  const answer = await toItsEnd(new Program('sh', ['-c', `${curl} -sS -w '%{http_code}'`], site))
  expect(answer).toEqual({ exit: 0, stdout: '{"users":[]}200', stderr: '' })
}

/** Stops the server as this signal does, and starts another where it was. */
async function restarted(server: Server, stage: Stage, site: Site, signal: NodeJS.Signals) {
  server.program.signal(signal)
  expect(await server.program.exit).toBe(signal === 'SIGKILL' ? signal : 0)
  return startServer(stage.runtime, site)
}

for (const stage of stages) {
  const { title, runtime } = stage
  describe(`a server (${title})`, () => {
    it('prints a curl line that works, and keeps its data and keys when it is stopped and when it is killed', async () => {
      const site = await stage.newSite()
      const first = await startServer(runtime, site)
      expect(created(first)).toBe(title.endsWith('embedded database') ? 1 : 0)
      if (commandOf('curl')) await tryCurl(first, site)
      await createProject(first, 1536)
      const numbers = vectorOf((index) => index + 1)
      const item = embedding('a', numbers, { text: 'some text', metadata: { page: 7 } })
      expect((await upload(first, item)).status).toBe(201)

      const second = await restarted(first, stage, site, 'SIGTERM')
      expect(created(second)).toBe(0)
      expect(second.key).toBe(first.key)
      const kept = await request(second, 'GET', `${embeddings}/a`)
      expect(kept).toMatchObject({ status: 200, body: item })
      const user = await request(second, 'PUT', '/v1/users/ann', {})
      expect(user).toMatchObject({ status: 200, body: { api_key: expect.stringMatching(/^smb_/) } })
      const items = Array.from({ length: atOnce }, (_, index) =>
        embedding(`t${index}`, vectorOf(Math.random)),
      )
      expect(JSON.stringify(items).length).toBeGreaterThan(28_000 * atOnce)
      expect((await upload(second, ...items)).status).toBe(201)

      const third = await restarted(second, stage, site, 'SIGKILL')
      const all = await request(third, 'GET', `${embeddings}?limit=1`)
      expect(all).toMatchObject({ status: 200, body: { total_count: 1 + atOnce } })
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
