import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { modeOf, projectOf, structured } from '../../support/data/indexed.ts'
import type { Result } from '../../support/data/similars.ts'

it('leaves out what it is to be like, also where an index finds the nearest', async () => {
  const documents = structured(3_000, 64)
  const project = await projectOf(documents)
  const [one = '', other = '', third = ''] = documents.map(({ text_id }) => text_id)
  const search = async (body: object) => {
    const examples = { like: [one, other], unlike: [third], threshold: 0 }
    const key = project.owner.key
    const answer = await call('POST', project.path('similars'), {
      key,
      body: { ...examples, ...body },
    })
    const ids: string[] = answer.body.results.map(({ id }: Result) => id)
    return { mode: modeOf(answer), ids }
  }
  const approximate = await search({})
  expect(approximate.mode).toBe('approximate')
  expect(approximate.ids).toHaveLength(10)
  const exact = await search({ exact: true })
  expect(exact.mode).toBe('exact')
  expect(exact.ids.filter((id) => approximate.ids.includes(id)).length).toBeGreaterThan(8)
  for (const id of [one, other, third]) expect([...approximate.ids, ...exact.ids]).not.toContain(id)
  const groups = await search({ group_by: 'ref.book', exact: true })
  for (const id of [one, other, third]) expect(groups.ids).not.toContain(id)
})
