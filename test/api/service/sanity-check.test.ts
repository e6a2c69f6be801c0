import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { indexLimits } from '../../support/app.ts'
import { structured } from '../../support/data/indexed.ts'
import { saveTables } from '../../support/database/saved-tables.ts'
import { embedding } from '../../support/factories.ts'
import { endless } from '../../support/json-schema/hostile-schemes.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

// A database of its own: a check reads everything that there is.
const service = await startServiceOfAnn({ indexLimits })
afterAll(service.close)

const asAdmin = (method: string, path: string, body?: object) => service.send(method, path, body)
const addProject = (...of: Parameters<ServiceOfAnn['addProject']>) => service.addProject(...of)
const run = (text: string) => service.database.short.db.execute(sql.raw(text))
const sanity = async () => {
  const { status, body } = await asAdmin('GET', '/v1/admin/sanity-check')
  expect(status).toBe(200)
  return body
}

/** Everything is gone but one user with an instance and a project `texts` with three embeddings. */
async function startOver(dimensions = 3, fields: object = {}) {
  for (const user of ['ann', 'ben']) await asAdmin('DELETE', `/v1/users/${user}`)
  await service.put('/v1/users/ann')
  await service.put('/v1/llm-services/ann/model', modelOf(dimensions))
  await addProject('texts', fields)
}

async function upload(handle: string, embeddings: object[]) {
  expect((await service.upload(handle, embeddings)).status).toBe(201)
}

const numbered = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) =>
    embedding(`text ${String(index).padStart(4, '0')}`, [1, index, 0], fields),
  )

const setScheme = async (metadataScheme: string) => {
  const answer = await asAdmin('PATCH', '/v1/projects/ann/texts', { metadataScheme })
  expect(answer.status).toBe(200)
}

const texts = { owner: 'ann', project_handle: 'texts' }
const needsAuthor = JSON.stringify({ required: ['author'] })

describe('a sanity check of sound data', () => {
  it('passes, says what was read, and changes nothing', async () => {
    await startOver(3, { metadataScheme: needsAuthor })
    await addProject('others')
    await upload('texts', numbered(3, { metadata: { author: 'Ann' } }))
    await upload('others', numbered(2))
    const saved = await saveTables(service.database)
    const before = await saved.digest()
    expect(await sanity()).toEqual({
      status: 'PASSED',
      checked: { projects: 2, embeddings: 5, schemes: 1, metadata: 3 },
      issue_count: 0,
      issue_counts: {},
      issues: [],
    })
    expect(await saved.digest()).toBe(before)
    await run('drop schema saved cascade')
  })

  it('reads every embedding once, however many there are in how many projects', async () => {
    await startOver()
    for (const [handle, count] of Object.entries({ texts: 700, a: 0, b: 299, c: 1, d: 501 })) {
      if (handle !== 'texts') await addProject(handle, { metadataScheme: needsAuthor })
      if (count > 0) await upload(handle, numbered(count, { metadata: { author: handle } }))
    }
    expect(await sanity()).toMatchObject({
      status: 'PASSED',
      checked: { projects: 5, embeddings: 1_501, schemes: 4, metadata: 801 },
    })
  })

  it('is done by one at a time', async () => {
    const checks = ['1', '2', '3'].map(() => asAdmin('GET', '/v1/admin/sanity-check'))
    const statuses = (await Promise.all(checks)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409, 409])
    expect((await sanity()).status).toBe('PASSED')
  })
})

describe('a sanity check finds', () => {
  it.each<[what: string, damage: string, issue: object]>([
    [
      'a vector_dim that is not the length of the vector',
      "update embeddings set vector_dim = 2 where text_id = 'text 0001'",
      {
        ...{ type: 'vector-dimensions', text_id: 'text 0001' },
        detail: 'vector_dim is 2, but the vector has 3 elements',
      },
    ],
    [
      'a vector that does not fit the instance of its project',
      "update embeddings set vector_dim = 4, vector = '[1,2,3,4]' where text_id = 'text 0002'",
      {
        ...{ type: 'instance-dimensions', text_id: 'text 0002' },
        detail: "the vector has 4 elements, but the project's LLM service instance 3 dimensions",
      },
    ],
    [
      'another number of vectors than is recorded',
      'update collections set vectors = 5 where vectors = 3',
      {
        type: 'recorded-size',
        detail: '5 vectors of 3 dimensions are recorded, but there are 3 vectors of 3 dimensions',
      },
    ],
    [
      'a scheme that is not valid any more',
      `update projects set metadata_scheme = '{"type": "text"}'`,
      {
        type: 'metadata-scheme',
        detail: expect.stringContaining('metadataScheme is not a valid JSON Schema'),
      },
    ],
  ])('%s', async (_, damage, issue) => {
    await startOver()
    await upload('texts', numbered(3))
    await run(damage)
    const issues = [{ project: texts, ...issue }]
    expect(await sanity()).toMatchObject({ status: 'FAILED', issue_count: 1, issues })
  })

  it('nothing to hold a vector against where the project has no instance', async () => {
    await startOver()
    await upload('texts', numbered(3))
    await run('update projects set instance_id = null')
    expect((await sanity()).status).toBe('PASSED')
  })

  it('metadata that do not satisfy a scheme which was set later', async () => {
    await startOver()
    const large = {
      author: 5,
      notes: Array.from({ length: 2_000 }, (_, index) => `${index} ${Math.sin(index)}`),
    }
    await upload('texts', [
      embedding('absent', [1, 0, 0]),
      embedding('good', [1, 0, 0], { metadata: { author: 'Ann' } }),
      embedding('large', [1, 0, 0], { metadata: large }),
      embedding('large and good', [1, 0, 0], { metadata: { ...large, author: 'Ann' } }),
      embedding('wrong', [1, 0, 0], { metadata: { author: [] } }),
    ])
    await setScheme('{"required": ["author"], "properties": {"author": {"type": "string"}}}')
    const issue = (text_id: string, detail: string) => ({
      type: 'metadata',
      project: texts,
      text_id,
      detail,
    })
    expect(await sanity()).toMatchObject({
      status: 'WARNING',
      checked: { metadata: 5, schemes: 1 },
      issue_counts: { metadata: 3 },
      issues: [
        issue('absent', 'author is required'),
        issue('large', 'author must be string'),
        issue('wrong', 'author must be string'),
      ],
    })
  })

  it('a scheme that costs too much time, once', async () => {
    await startOver()
    await upload('texts', numbered(120))
    await setScheme(JSON.stringify(endless))
    expect(await sanity()).toMatchObject({
      status: 'WARNING',
      checked: { embeddings: 120, schemes: 1, metadata: 0 },
      issue_count: 1,
      issues: [
        {
          type: 'metadata-unchecked',
          project: texts,
          detail: expect.stringContaining('took longer than 1000 ms'),
        },
      ],
    })
  })

  it('more than it lists: it counts all, and lists failures first', async () => {
    await startOver()
    await upload('texts', numbered(600))
    await setScheme(needsAuthor)
    await run("update embeddings set vector_dim = 2 where text_id = 'text 0599'")
    const report = await sanity()
    expect(report).toMatchObject({
      status: 'FAILED',
      issue_count: 601,
      issue_counts: { metadata: 600, 'vector-dimensions': 1 },
    })
    expect(report.issues).toHaveLength(100)
    expect(report.issues[0]).toMatchObject({ text_id: 'text 0599', type: 'vector-dimensions' })
    expect(report.issues[1]).toMatchObject({ text_id: 'text 0000', type: 'metadata' })
  })
})

it('a sanity check of search indexes tells which are missing or broken', async () => {
  await startOver(240)
  const documents = structured(480, 240).map(({ text_id, vector }) =>
    embedding(text_id, [...vector]),
  )
  await upload('texts', documents)
  expect(await sanity()).toMatchObject({
    status: 'WARNING',
    issues: [{ type: 'index-missing', project: texts }],
  })
  await service.searchIndexes.reconcile()
  await service.searchIndexes.reconcile()
  expect(await sanity()).toMatchObject({ status: 'PASSED', issue_count: 0 })
  await run(`update pg_index set indisvalid = false
    where indexrelid = (select oid from pg_class where relname like 'embeddings\\_hnsw\\_%')`)
  expect(await sanity()).toMatchObject({
    status: 'WARNING',
    issues: [{ type: 'index-broken', project: texts }],
  })
})
