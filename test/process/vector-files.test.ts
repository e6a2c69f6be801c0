import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../shared/random-numbers.ts'
import {
  createProject,
  exchange,
  request,
  type Server,
  stages,
  startServer,
  stop,
} from '../support/servers/server.ts'

/** 4,015,104 components: a project has a file from 4,000,000 on. */
const [dimensions, vectors, inBatch] = [1_536, 2_614, 500]
const random = randomNumbers(41)
const newVector = () =>
  Buffer.from(Float32Array.from({ length: dimensions }, () => random() - 0.5).buffer).toString(
    'base64',
  )

async function search(server: Server, vector: string) {
  const path = '/v1/similars/ann/texts'
  const { headers, body } = await exchange(server, 'POST', path, { vector, limit: 3, threshold: 0 })
  return { strategy: headers.get('server-timing'), results: Object(body).results }
}

for (const { title, runtime, site: newSite } of stages) {
  describe(`vectors in memory (${title})`, () => {
    it('are written at SIGTERM, and read by the next start instead of the database', async () => {
      const site = await newSite()
      const cache = join(site.folder, 'cache')
      const place = { ...site, env: { ...site.env, SERVICE_CACHEDIR: cache } }
      const first = await startServer(runtime, place)
      await createProject(first, dimensions)
      const query = newVector()
      for (let at = 0; at < vectors; at += inBatch) {
        const embeddings = Array.from({ length: Math.min(inBatch, vectors - at) }, (_, index) => ({
          text_id: `t${at + index}`,
          vector: at + index === 7 ? query : newVector(),
        }))
        const batch = { instance_handle: 'model', vector_dim: dimensions, embeddings }
        const { status } = await request(first, 'POST', '/v1/embeddings/ann/texts', batch)
        expect(status).toBe(201)
      }
      const inMemory = { strategy: expect.stringContaining('memory') }
      await expect.poll(() => search(first, query)).toMatchObject(inMemory)
      const before = await search(first, query)
      expect(before.results).toMatchObject([{ id: 't7', similarity: 1 }, {}, {}])
      await stop(first)
      const files = await readdir(join(cache, 'vectors'))
      expect(files).toEqual([expect.stringMatching(/^\d+-[0-9a-f]{64}\.vectors$/)])
      const { mode } = await stat(join(cache, 'vectors', `${files[0]}`))
      expect(mode & 0o777).toBe(0o600)

      const second = await startServer(runtime, place)
      // The first one waits for the file.
      expect(await search(second, query)).toMatchObject({ ...inMemory, results: before.results })
      await second.program.said(/read the vectors of collection \d+ from a file/)
    })
  })
}
