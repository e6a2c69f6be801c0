import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { refusal } from '../../support/data/refusals.ts'
import { ask, exported, exportPath, importFile, linesOf, valuesOf } from '../../support/exports.ts'
import {
  addProject,
  embedding,
  giveAway,
  newInstance,
  newProject,
  newUser,
  type Project,
  projectNamed,
  share,
  type User,
  upload,
} from '../../support/factories.ts'

const ids = ['!', '10', '9', 'A', 'a', 'z', 'É', 'é', 'ﬁ', '😀']

/** A project with rows of every kind. */
async function someProject(fields: object = {}): Promise<Project> {
  const project = await newProject(fields)
  const items = ids.toReversed().map((textId, index) =>
    embedding(textId, [1, index + 0.1, -3e-8], {
      ...(index % 2 === 0 && { text: `"${textId}"\n  😀` }),
      ...(index % 3 === 0 && { metadata: { n: index, of: { x: [1, null, 'ü\n'] } } }),
    }),
  )
  await upload(project, ...items)
  return project
}

const rowsOf = async (project: Project) => {
  const path = `${project.path('embeddings')}?limit=200`
  const { embeddings } = (await call('GET', path, project.owner)).body
  return embeddings.map((row: Record<string, unknown>) => {
    const { user_handle: _, project_handle, instance_handle, vector_dim, ...rest } = row
    return rest
  })
}

describe('the export of a project', () => {
  it('is a line for each embedding by text_id, with all that was uploaded', async () => {
    const project = await someProject()
    const answer = await ask(exportPath(project), project.owner.key)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="texts.ndjson"',
    })
    const lines = valuesOf(Buffer.from(await answer.arrayBuffer()))
    expect(lines.map(({ text_id }) => text_id)).toEqual(ids)
    expect(lines).toEqual(await rowsOf(project))
  })

  it('goes back in under another owner and another instance', async () => {
    const project = await someProject()
    const lines = valuesOf(await exported(project))
    const other = await newProject()
    const body = { instance_handle: 'model', vector_dim: 3, embeddings: lines }
    const { key } = other.owner
    expect((await call('POST', other.path('embeddings'), { key, body })).status).toBe(201)
    const without = (line: object) => ({ ...line, created_at: '' })
    expect(valuesOf(await exported(other)).map(without)).toEqual(lines.map(without))
  })

  it('has vectors in base64 when asked for, equal to those in JSON', async () => {
    const project = await someProject()
    const lines = valuesOf(await exported(project, 'vector_format=base64'))
    const vectors = lines.map(({ vector }) => {
      const bytes = Buffer.from(vector, 'base64')
      return [0, 4, 8].map((at) => bytes.readFloatLE(at))
    })
    const numbers = valuesOf(await exported(project)).map(({ vector }) => vector.map(Math.fround))
    expect(vectors).toEqual(numbers)
  })

  it.each([...['', 'text', 'vector', 'metadata,vector']])(
    'has of its parts include=%s',
    async (include) => {
      const project = await newProject()
      await upload(project, embedding('a', [1, 2, 3], { text: 'A', metadata: { n: 1 } }))
      const [line] = valuesOf(await exported(project, `include=${include}`))
      const parts = include === '' ? [] : include.split(',')
      expect(Object.keys(line).toSorted()).toEqual(['created_at', ...parts, 'text_id'].toSorted())
    },
  )

  it('has what a filter lets through, over many statements', async () => {
    const project = await newProject()
    const item = (n: number) =>
      embedding(`t${String(n).padStart(5, '0')}`, [1, n, 3], { metadata: { n } })
    for (const from of [0, 2_500]) {
      await upload(project, ...Array.from({ length: 2_500 }, (_, index) => item(from + index)))
    }
    const filter = encodeURIComponent(JSON.stringify({ n: { $in: [3, 1_999, 2_000, 4_999] } }))
    const lines = valuesOf(await exported(project, `filter=${filter}`))
    expect(lines.map(({ metadata }) => metadata.n)).toEqual([3, 1_999, 2_000, 4_999])
    expect(linesOf(await exported(project))).toHaveLength(5_000)
    const none = encodeURIComponent(JSON.stringify({ n: -1 }))
    expect(await exported(project, `filter=${none}`)).toHaveLength(0)
  })

  it('is compressed for a client that asks for it', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3], { text: 'long '.repeat(1_000) }))
    const headers = { 'Accept-Encoding': 'gzip' }
    const answer = await ask(exportPath(project), project.owner.key, undefined, { headers })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.length).toBeLessThan(500)
    expect(gunzipSync(bytes)).toEqual(await exported(project))
  })

  it('answers HEAD without reading anything', async () => {
    const project = await someProject()
    const answer = await ask(exportPath(project), project.owner.key, undefined, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  })

  it.each([
    ['format=csv', 'format must be ndjson or semblance'],
    ['include=texts', 'include has no'],
    ['filter=%7B', 'filter must be JSON'],
    ['format=semblance&vector_format=base64', 'vector_format is for format=ndjson'],
    ['format=semblance&include=text', 'include is for format=ndjson'],
    ['format=semblance&filter=%7B%7D', 'filter is for format=ndjson'],
  ])('refuses %s', async (query, detail) => {
    const project = await newProject()
    const answer = await call('GET', exportPath(project, query), project.owner)
    expect(answer).toMatchObject(refusal(400, detail))
    expect(answer.headers.get('content-disposition')).toBe(null)
  })
})

const endpoint = 'https://provider-a.example/v1?token=of-its-owner'
const known = { instance_handle: 'model', model: 'small', dimensions: 3 }
const whole = { ...known, endpoint, api_standard: 'provider-a' }

const fileOf = (project: Project, by: User) => exported(project, 'format=semblance', by)
const instanceIn = (file: Buffer) => valuesOf(file)[0].instance
/** A project that somebody was given whose instance belongs to another user. */
async function givenProject() {
  const given = await newProject({}, { endpoint })
  const giver = given.owner
  await upload(given, embedding('a', [1, 2, 3]))
  const project = await giveAway(given, await newUser('owner'))
  const instance = `/v1/llm-services/${giver.handle}/model`
  return { giver, project, instance, admin: { handle: '', key: adminKey } }
}

describe('the endpoint in a portable file', () => {
  it('is for those who may read the instance, as long as they may', async () => {
    const { giver, project, instance, admin } = await givenProject()
    const { owner } = project
    const seen = async () => instanceIn(await fileOf(project, owner))
    expect(await seen()).toEqual(known)
    expect(instanceIn(await fileOf(project, admin))).toEqual(whole)
    const { key } = giver
    await share(instance, giver, owner)
    expect(await seen()).toEqual(whole)
    expect((await call('DELETE', `${instance}/share/${owner.handle}`, { key })).status).toBe(200)
    expect(await seen()).toEqual(known)
    const mine = await addProject(giver, 'mine')
    expect(instanceIn(await fileOf(mine, giver))).toEqual(whole)
  })

  it('is not needed where the import names an instance', async () => {
    const { project } = await givenProject()
    const file = await fileOf(project, project.owner)
    const user = await newUser()
    const copy = projectNamed(user, 'copy')
    expect((await importFile(copy, file)).problem).toMatchObject({
      status: 400,
      detail:
        'instance_handle is required: the file does not say the endpoint and the API standard of its instance',
    })
    await newInstance(user)
    await newInstance(user, { dimensions: 4 }, 'wide')
    expect((await importFile(copy, file, 'instance_handle=wide')).problem).toMatchObject({
      status: 409,
    })
    expect((await importFile(copy, file, 'instance_handle=model')).problem).toBe(undefined)
    expect((await call('GET', `${copy.path('embeddings')}/a`, user)).status).toBe(200)
  })
})
