import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { embedding } from '../support/factories.ts'
import { found, node, Program, toItsEnd } from '../support/program.ts'
import { createProject, request, stages, startServer } from '../support/server.ts'
import { preparedSite, prepareSite } from '../support/site.ts'

beforeAll(prepareSite)

const embeddings = '/v1/embeddings/ann/texts'
const randomVector = (length: number) => Array.from({ length }, () => Math.random() - 0.5)

for (const { title, runtime, newSite, site: anySite } of stages) {
  describe.skipIf(runtime.command === undefined)(`a server (${title})`, () => {
    it.skipIf(!found('curl'))('prints a curl line that works as it stands', async () => {
      const site = await newSite()
      const { program } = await startServer(runtime, site)
      const curl = /^Try: (.*)$/m.exec(program.stdout)?.[1] ?? ''
      const answer = await toItsEnd(
        new Program('sh', ['-c', `${curl} -sS -w '%{http_code}'`], site),
      )
      expect(answer).toEqual({ exit: 0, stdout: '{"users":[]}200', stderr: '' })
    })

    it('keeps its data and keys over a restart', async () => {
      const site = await newSite()
      const first = await startServer(runtime, site)
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
      const items = Array.from({ length: 1000 }, (_, index) =>
        embedding(`text-${index}`, randomVector(1536)),
      )
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

describe('the files of an embedded database', () => {
  it('can be read by their owner only', async () => {
    const site = await preparedSite()
    const { program } = await startServer(node, site)
    const file = await program.printed(/administrator key is in (.*)\n/)
    expect(file).toBe(join(site.folder, 'data/admin.key'))
    for (const name of ['admin.key', 'encryption.key']) {
      expect((await stat(join(site.folder, 'data', name))).mode & 0o777, name).toBe(0o600)
    }
    expect((await stat(join(site.folder, 'data'))).mode & 0o777).toBe(0o700)
  })
})
