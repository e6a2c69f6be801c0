import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { search, searchBatch } from '../../support/data/similars.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const filters = [
  { $or: [{ text_id: 'mine' }, { text_id: { $prefix: 'their' } }] },
  { $or: [{ text_id: { $in: ['mine'] } }, { secret: { $exists: true } }] },
  { $or: [{ text_id: 'mine' }, { created_at: { $gt: '2020-01-01' } }] },
  { $not: { $or: [{ text_id: 'nobody' }, { secret: 'nothing' }] } },
  { $and: [{ $or: [{ text_id: { $gte: 'a' } }, { secret: 'x' }] }] },
]

async function withOne(textId: string): Promise<Project> {
  const project = await newProject({}, { dimensions: 2 })
  await upload(project, embedding(textId, [1, 1], { metadata: { secret: 'x' } }))
  return project
}

/** All that an answer is made of, as text. */
async function allAnswers(project: Project, filter: object): Promise<string> {
  const { owner, path } = project
  const query = `filter=${encodeURIComponent(JSON.stringify(filter))}`
  const asked = { vector: [1, 1], filter, include: ['text'], totals: true }
  const grouped = { ...asked, group_by: 'secret', group_size: 5 }
  const answers = [
    await search(project, asked),
    await searchBatch(project, asked, grouped, { ...asked, exact: true }),
    await call('POST', `${path('similars')}/neighbours`, { key: owner.key, body: { filter } }),
    await call('GET', `${path('embeddings')}?${query}`, owner),
    await call('GET', `${path('projects')}/count?${query}`, owner),
    await call('GET', `${path('projects')}/export?format=ndjson&${query}`, owner),
    await call('POST', `${path('embeddings')}/delete`, { key: owner.key, body: { filter } }),
  ]
  for (const { status } of answers) expect(status).toBe(200)
  return JSON.stringify(answers.map(({ body }) => body))
}

it.each(filters)('the alternatives of %j are those of one project', async (filter) => {
  const theirs = await withOne('theirs')
  const mine = await withOne('mine')
  const answers = await allAnswers(mine, filter)
  expect(answers).toContain('mine')
  expect(answers).not.toContain('theirs')
  expect(answers).not.toMatch(/total_\w*\\?":(?!1\b)/)
  const { body } = await call('GET', theirs.path('embeddings'), theirs.owner)
  expect(body.total_count).toBe(1)
})
