import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const tryScheme = (project: Project, scheme: unknown, more: object = {}) =>
  call('POST', `${project.path()}/try-metadata-scheme`, {
    key: project.owner.key,
    body: { metadataScheme: JSON.stringify(scheme), ...more },
  })

const hasBook = { type: 'object', required: ['book'] }

it('tells what of the stored metadata would be refused, and changes nothing', async () => {
  const project = await newProject()
  await upload(
    project,
    embedding('a', [1, 0, 0], { metadata: { book: 'Mark' } }),
    embedding('b', [1, 0, 0], { metadata: { chapter: 1 } }),
    embedding('c', [1, 0, 0]),
  )
  const { status, body } = await tryScheme(project, hasBook)
  expect(status).toBe(200)
  expect(body).toEqual({
    checked: 3,
    violation_count: 2,
    violations: ['b', 'c'].map((text_id) => ({
      text_id,
      violations: ['book is required'],
    })),
  })
  const shown = await call('GET', project.path(), { key: project.owner.key })
  expect(shown.body).not.toHaveProperty('metadataScheme')
  expect((await tryScheme(project, true)).body).toMatchObject({ violation_count: 0 })
})

it('counts all, over many pages, and names the first', async () => {
  const project = await newProject()
  const items = Array.from({ length: 1_203 }, (_, index) =>
    embedding(`t${`${index}`.padStart(4, '0')}`, [1, 0, 0], {
      metadata: index % 2 === 0 ? { book: 'Mark' } : {},
    }),
  )
  await upload(project, ...items)
  const { body } = await tryScheme(project, hasBook, { limit: 2 })
  expect(body).toMatchObject({ checked: 1_203, violation_count: 601 })
  expect(body.violations.map(({ text_id }: { text_id: string }) => text_id)).toEqual([
    't0001',
    't0003',
  ])
  expect((await tryScheme(project, hasBook)).body.violations).toHaveLength(100)
})

it('refuses what is no schema, also for an empty project', async () => {
  const project = await newProject()
  expect((await tryScheme(project, { type: 'nothing' })).status).toBe(422)
  expect((await tryScheme(project, hasBook, { limit: 101 })).status).toBe(400)
  expect((await tryScheme(project, hasBook, { limits: 1 })).body.detail).toContain('limit')
  expect((await tryScheme(project, hasBook)).body).toEqual({
    checked: 0,
    violation_count: 0,
    violations: [],
  })
})
