import { describe, expect, it } from 'vitest'
import type { Answer } from '../../support/client.ts'
import { modeOf, projectOf, structured } from '../../support/data/indexed.ts'
import { searchBy, searchFrom } from '../../support/data/similars.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'
import { hasSearchIndexes } from '../../support/servers/postgres-place.ts'

/** Vectors whose cosines with [1, 0] are 1, 0.8, 0.6, 0, -0.6 and -1. */
const vectors = { a: [1, 0], b: [0.8, 0.6], c: [0.6, 0.8], d: [0, 1], e: [-0.6, 0.8], f: [-1, 0] }

async function project() {
  const project = await newProject({}, { dimensions: 2 })
  const items = Object.entries(vectors).map(([id, vector]) =>
    embedding(id, vector, { metadata: { kind: id < 'd' ? 'near' : 'far' } }),
  )
  await upload(project, ...items)
  return project
}

const found = ({ body, headers }: Answer) => [
  body.results.map(({ id }: { id: string }) => id).join(''),
  headers.get('x-search-hidden'),
]

describe('X-Search-Hidden', () => {
  it.each([
    [{}, ['abc', '3']],
    [{ threshold: 0.7 }, ['ab', '4']],
    [{ threshold: 1 }, ['a', '5']],
    // What is in the opposite direction is no result at any threshold.
    [{ threshold: 0 }, ['abcd', '2']],
    [{ count: 3 }, ['abc', '0']],
    [{ count: 4 }, ['abc', '1']],
    [{ count: 2, offset: 2 }, ['c', '1']],
    [{ count: 2, offset: 3 }, ['', '2']],
    [{ count: 2, offset: 5 }, ['', '1']],
    [{ count: 2, offset: 6 }, ['', '0']],
    [{ metadata_path: 'kind', metadata_value: 'far' }, ['abc', '0']],
    [{ metadata_path: 'kind', metadata_value: 'near' }, ['', '3']],
    [{ exact: 'true', threshold: 0.7 }, ['ab', '4']],
  ])('says how many places of the page the threshold left empty: %j', async (query, expected) => {
    expect(found(await searchBy(await project(), [1, 0], query))).toEqual(expected)
  })

  it('does not count the document that is searched for, unless it may be a result', async () => {
    const texts = await project()
    expect(found(await searchFrom(texts, 'a'))).toEqual(['bc', '3'])
    expect(found(await searchFrom(texts, 'a', { include_self: 'true' }))).toEqual(['abc', '3'])
    expect(found(await searchFrom(texts, 'f', { threshold: 1 }))).toEqual(['', '5'])
  })

  it.runIf(hasSearchIndexes())('is said by an index of what it has found', async () => {
    const documents = structured(480, 240)
    const texts = await projectOf(documents)
    const near = documents[0]?.vector.map((value, index) => value + (index % 3) / 10) ?? []
    for (const threshold of [0, 0.9, 1]) {
      const answer = await searchBy(texts, near, { threshold })
      expect(modeOf(answer)).toBe('approximate')
      const [, hidden] = found(answer)
      expect(Number(hidden) + answer.body.results.length).toBe(10)
    }
  })

  it('may be read by pages of other origins', async () => {
    const { headers } = await searchBy(await project(), [1, 0])
    const exposed = headers.get('access-control-expose-headers')?.split(',')
    expect(exposed).toEqual(expect.arrayContaining(['X-Search-Hidden', 'X-Search-Note']))
  })
})
