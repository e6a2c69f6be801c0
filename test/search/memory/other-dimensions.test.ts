import { expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { call } from '../../support/client.ts'
import { untilCached } from '../../support/data/cached.ts'
import { pathTo } from '../../support/data/embeddings.ts'
import { idsOf, searchBy, searchFrom } from '../../support/data/similars.ts'
import { rankedBy } from '../../support/data/vectors.ts'
import { embedding, newInstance, newProject, upload } from '../../support/factories.ts'

it('finds vectors of other dimensions that came when all others had been deleted', async () => {
  const random = randomNumbers(7)
  const project = await newProject({}, { dimensions: 48 })
  const { key, handle } = project.owner
  for (const [dimensions, instance_handle] of [
    [48, 'model'],
    [24, 'smaller'],
    [64, 'larger'],
  ] as const) {
    if (instance_handle !== 'model') {
      await newInstance(project.owner, { dimensions }, instance_handle)
      const body = { instance_owner: handle, instance_handle }
      expect((await call('PUT', project.path(), { key, body })).status).toBe(200)
    }
    const stored = Array.from({ length: 30 }, (_, at) => ({
      text_id: `t${at}`,
      vector: Array.from({ length: dimensions }, () => Math.fround(random() - 0.4)),
    }))
    const items = stored.map(({ text_id, vector }) =>
      embedding(text_id, vector, { instance_handle }),
    )
    await upload(project, ...items)
    await untilCached(project, dimensions)
    for (const { text_id, vector } of stored.slice(0, 5)) {
      const right = rankedBy(vector, stored).map(({ id }) => id)
      expect(await idsOf(searchBy(project, vector, { threshold: 0 }))).toEqual(right.slice(0, 10))
      const others = right.filter((id) => id !== text_id)
      const found = await idsOf(searchFrom(project, text_id, { threshold: 0 }))
      expect(found).toEqual(others.slice(0, 10))
    }
    for (const { text_id } of stored) {
      expect((await call('DELETE', pathTo(project, text_id), { key })).status).toBe(200)
    }
  }
})
