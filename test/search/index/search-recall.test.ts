import { describe, expect, inject, it } from 'vitest'
import { modeOf, projectOf, structured } from '../../support/data/indexed.ts'
import { searchBy, searchFrom } from '../../support/data/similars.ts'
import type { Project } from '../../support/factories.ts'

/** Few and long, so that an index is built quickly: 416 are within the budget of the tests. */
const documents = structured(480, 240)
const [first = { text_id: '', vector: [] }] = documents

const similar = (project: Project, query: object = {}) =>
  searchFrom(project, first.text_id, { threshold: 0, ...query })

describe('a search with min_recall', () => {
  it('is answered by the index up to the recall of every search, and exactly above it', async () => {
    const project = await projectOf(documents)
    const exact = await similar(project, { exact: 'true' })
    for (const recall of ['0.9', '.95', '0.99', '0.9901', '0.9990']) {
      const answer = await similar(project, { min_recall: recall })
      expect(answer.body.results).toHaveLength(exact.body.results.length)
      const mode = Number(recall) > 0.99 ? 'exact' : 'approximate'
      if (inject('engine') !== 'embedded') expect(modeOf(answer), recall).toBe(mode)
      if (mode === 'exact') expect(answer.body.results).toEqual(exact.body.results)
    }
  })

  it('changes nothing where every vector is compared anyway', async () => {
    const project = await projectOf(documents.slice(0, 100))
    const plain = await similar(project)
    const asked = await similar(project, { min_recall: '0.9' })
    expect(modeOf(asked)).toBe('exact')
    expect(asked.body).toEqual(plain.body)
  })

  it('refuses what is no recall from 0.9 to 0.999', async () => {
    const project = await projectOf(documents.slice(0, 3))
    const wrong = ['', '0.89', '0.9991', '1', '1.0', '-0.95', '9e-1', '0,95', 'high', ' .9']
    for (const recall of wrong) {
      for (const answer of [
        await similar(project, { min_recall: recall }),
        await searchBy(project, first.vector, { min_recall: recall }),
      ]) {
        expect(answer.status, recall).toBe(400)
        expect(answer.body.detail).toContain('min_recall must be between 0.9 and 0.999')
      }
    }
  })
})
