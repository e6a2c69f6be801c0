import { describe, expect, inject, it } from 'vitest'
import { neighbourLimits } from '../../../src/neighbours/limits.ts'
import { projectOf, structured } from '../../support/data/indexed.ts'
import { beginNeighbours, neighboursOf, readLines } from '../../support/data/neighbours.ts'
import { unwatchedApp } from '../../support/exports.ts'

const documents = structured(1_200, 96)

describe.skipIf(inject('engine') === 'embedded')(
  'all neighbours of a project with an index',
  () => {
    it('are searched for there above the size for comparing all with all', async () => {
      const { app: small } = await unwatchedApp({
        neighbourLimits: { ...neighbourLimits, components: 100_000, vectors: 1_000 },
      })
      const project = await projectOf(documents)
      const exact = await neighboursOf(project, { threshold: 0 })
      const after = exact.at(-200)?.id
      const body = { threshold: 0, after }
      const answer = await beginNeighbours(small, project, project.owner.key, body)
      const { rows, last } = readLines(await answer.text())
      expect(last).toEqual({ done: true, embeddings: 199, mode: 'approximate' })
      expect(rows.map(({ id }) => id)).toEqual(exact.slice(-199).map(({ id }) => id))
      let found = 0
      for (const [at, { neighbours }] of rows.entries()) {
        const true10 = new Set(exact.at(at - 199)?.neighbours.map(({ id }) => id))
        found += neighbours.filter(({ id }) => true10.has(id)).length
      }
      expect(found / (199 * 10)).toBeGreaterThan(0.97)
    })
  },
)
