import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { exampleFile } from '../../../src/project-files/schemas.ts'
import { adminKey, testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { collectionOf } from '../../support/data/indexed.ts'
import { exported, importFile, linesOf, sealed } from '../../support/exports.ts'
import {
  addProject,
  embedding,
  newInstance,
  newKey,
  newProject,
  newUser,
  type Project,
  projectNamed,
  unique,
  upload,
} from '../../support/factories.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const scheme = JSON.stringify({ type: 'object', properties: { n: { type: 'number' } } })

async function someProject(): Promise<Project> {
  const project = await newProject({
    ...{ description: 'Übung', metadataScheme: scheme, reading_order: ['n', 'of'] },
  })
  const odd = {
    n: 1e21,
    tiny: 5e-324,
    of: [1, 0.1, -0, null, 'ü\n\u2028'],
    __proto: { b: 1, a: 2 },
  }
  await upload(
    project,
    embedding('z', [0.1, -3e-8, 1], { text: 'Zorn\n😀', metadata: odd }),
    embedding('é', [1, 2, 3], { metadata: { 10: 1, 9: 2, b: 1, a: 2, aa: 3 } }),
    embedding('a', [1e-15, 0.3, 1]),
  )
  return project
}

const embeddedInMemory = async () => ({
  database: await openEmbedded(undefined),
  place: undefined,
  drop: async () => {},
})

const fileOf = (project: Project) => exported(project, 'format=semblance')
const isThere = async ({ path, owner }: Project) =>
  (await call('GET', path(), { key: owner.key })).status !== 404

describe('an imported file', () => {
  it('makes a project of another owner, whose export is the same file', async () => {
    const file = await fileOf(await someProject())
    const copy = projectNamed(await newUser(), 'copy')
    const { status, lines } = await importFile(copy, file)
    expect(status).toBe(200)
    expect(lines.slice(0, 2)).toEqual([0, 3].map((stored) => ({ stored, embeddings: 3 })))
    const name = `${copy.owner.handle}/copy`
    expect(lines.at(-1)).toMatchObject({ message: `Project '${name}' imported`, embeddings: 3 })
    const { body } = await call('GET', copy.path(), copy.owner)
    expect(body).toMatchObject({
      ...lines.at(-1).project,
      instance_owner: copy.owner.handle,
      instance_handle: 'model',
      description: 'Übung',
      ...{ metadataScheme: scheme, reading_order: ['n', 'of'], public_read: false },
      dimensions: 3,
      embedding_count: 3,
    })
    expect((await fileOf(copy)).equals(file)).toBe(true)
    const instance = await call('GET', `/v1/llm-services/${copy.owner.handle}/model`, copy.owner)
    expect(instance.body).toMatchObject({ has_api_key: false, model: 'small' })
  })

  it('makes no instance with a named key, which uses those that are there', async () => {
    const project = await someProject()
    const { owner } = project
    const [first = '', ...rest] = linesOf(await fileOf(project))
    const manifest = JSON.parse(first)
    const instance = { ...manifest.instance, instance_handle: 'made' }
    const file = sealed([JSON.stringify({ ...manifest, instance }), ...rest])
    const key = await newKey(owner, { access: 'write' })
    const byName = { ...owner, key }
    const refused = await importFile(projectNamed(byName, 'copy'), file)
    expect(refused).toMatchObject({ status: 403, problem: { status: 403 } })
    expect(refused.problem.detail).toContain('instance_handle')
    const path = `/v1/llm-services/${owner.handle}/made`
    expect((await call('GET', path, { key: owner.key })).status).toBe(404)
    const named = await importFile(projectNamed(byName, 'copy'), file, 'instance_handle=model')
    expect(named.lines.at(-1)).toMatchObject({ project: { instance_handle: 'model' } })
    const own = await importFile(projectNamed(byName, 'second'), await fileOf(project))
    expect(own.lines.at(-1)).toMatchObject({ project: { instance_handle: 'model' } })
    const made = await importFile(projectNamed(owner, 'third'), file)
    expect(made.lines.at(-1)).toMatchObject({ project: { instance_handle: 'made' } })
  })

  it('may be the one that the document shows', async () => {
    const copy = projectNamed(await newUser(), 'copy')
    expect((await importFile(copy, Buffer.from(exampleFile))).problem).toBe(undefined)
    expect((await fileOf(copy)).toString()).toBe(exampleFile)
  })

  it('makes a project that is searched, added to and deleted as any other', async () => {
    const file = await fileOf(await someProject())
    const copy = projectNamed(await newUser(), 'copy')
    await importFile(copy, gzipSync(file), '', { 'Content-Encoding': 'gzip' })
    await upload(copy, embedding('new', [1, 2, 3.5]))
    const path = `${copy.path('similars')}/${encodeURIComponent('é')}?threshold=0`
    const found = await call('GET', path, copy.owner)
    expect(found.body.results[0]).toMatchObject({ id: 'new' })
    expect((await call('DELETE', copy.path('embeddings'), copy.owner)).body.deleted_count).toBe(4)
  })

  it('goes from one engine to the other and back', async () => {
    if (inject('engine') !== 'postgres') return
    const other = await startOwnService({}, true, embeddedInMemory)
    onTestFinished(() => other.close())
    const file = await fileOf(await someProject())
    const owner = { handle: 'alice', key: adminKey }
    await other.app.request('/v1/users/alice', {
      method: 'PUT',
      body: '{}',
      headers: { Authorization: `Bearer ${adminKey}` },
    })
    const there = projectNamed(owner, 'there')
    expect((await importFile(there, file, '', {}, other.app)).status).toBe(200)
    const back = await exported(there, 'format=semblance', owner, other.app)
    expect(back.equals(file)).toBe(true)
  })

  it('uses the instance that is named, or one of its own that is the same', async () => {
    const project = await someProject()
    const { owner } = project
    const file = await fileOf(project)
    const again = projectNamed(owner, 'again')
    expect((await importFile(again, file)).lines.at(-1).project.instance_handle).toBe('model')
    await newInstance(owner, { endpoint: 'https://other.example/v1' }, 'other')
    const named = projectNamed(owner, 'named')
    const query = 'instance_handle=other'
    expect((await importFile(named, file, query)).lines.at(-1).project.instance_handle).toBe(
      'other',
    )
  })

  it('is refused where the instance is another', async () => {
    const file = await fileOf(await someProject())
    const user = await newUser()
    await newInstance(user, { model: 'large' }, 'model')
    await newInstance(user, { endpoint: 'https://other.example/v1' }, 'moved')
    await newInstance(user, { dimensions: 4 }, 'wide')
    const detailOf = async (query: string, sent = file) =>
      (await importFile(projectNamed(user, 'copy'), sent, query)).problem
    const made = "The embeddings of the file were made by model 'small' with 3 dimensions, but"
    const service = `LLM service instance '${user.handle}/`
    expect(await detailOf('')).toMatchObject({
      status: 409,
      detail: `${made} ${service}model' has model 'large' with 3`,
    })
    expect(await detailOf('instance_handle=wide')).toMatchObject({
      detail: `${made} ${service}wide' has model 'small' with 4`,
    })
    const moved = sealed(
      linesOf(file).map((line) => line.replace('"model","endpoint', '"moved","endpoint')),
    )
    expect(await detailOf('', moved)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('has another endpoint or API standard'),
    })
    const strange = sealed(
      linesOf(file).map((line) =>
        line.replace('provider-a"', 'provider-x"').replace('"model","e', '"new","e'),
      ),
    )
    expect(await detailOf('', strange)).toMatchObject({
      status: 400,
      detail: "api_standard: there is no API standard 'provider-x'",
    })
    const none = sealed(
      linesOf(file).map((line) => line.replace(/"instance":\{[^}]*\}/, '"instance":null')),
    )
    expect(await detailOf('', none)).toMatchObject({
      status: 400,
      detail: expect.stringContaining('instance_handle is required'),
    })
    const stranger = await newUser()
    await newInstance(stranger)
    const query = `instance_owner=${stranger.handle}&instance_handle=model`
    expect(await detailOf(query)).toMatchObject({ status: 403 })
  })

  it('is refused where the project is there, and leaves it as it is', async () => {
    const project = await someProject()
    const file = await fileOf(project)
    const { status, problem } = await importFile(project, file)
    expect({ status, detail: problem.detail }).toEqual({
      status: 409,
      detail: `Project '${project.owner.handle}/texts' already exists`,
    })
    expect((await fileOf(project)).equals(file)).toBe(true)
  })

  type Tampering = (lines: string[]) => string[]
  const resealed: [what: string, change: Tampering, detail: RegExp][] = [
    [
      'a wrong count',
      ([first = '', ...rest]) => [first.replace('"embeddings":3', '"embeddings":4'), ...rest],
      /^line 5: the file's first line announces 4 embeddings, and there are 3/,
    ],
    [
      'a wrong count at its end',
      (lines) => lines.map((line) => line.replace(/^\{"embeddings":3/, '{"embeddings":1')),
      /^line 5: the file's last line says 1 embeddings, and there are 3/,
    ],
    [
      'lines out of order',
      ([first = '', a = '', b = '', ...rest]) => [first, b, a, ...rest],
      /^line 3: text_id 'a' is not behind/,
    ],
    [
      'a line twice',
      ([first = '', a = '', ...rest]) => [first, a, a, ...rest],
      /^line 3: text_id 'a' is not behind/,
    ],
    [
      'a vector that is too short',
      (lines) => lines.map((line) => line.replace(/"vector":"[^"]*"/, '"vector":"AACAPw=="')),
      /^line 2: the vector has 1 dimensions, not 3/,
    ],
    [
      'a vector without a direction',
      (lines) =>
        lines.map((line) => line.replace(/"vector":"[^"]*"/, '"vector":"AAAAAAAAAAAAAAAA"')),
      /^line 2: vector: a vector of length zero/,
    ],
    // The last of them would be in the year 10000, which JSON does not have.
    ...['yesterday', '2026-02-30T00:00:00.000000Z', '9999-12-31T24:00:00.000000Z'].map(
      (date): (typeof resealed)[number] => [
        `the date ${date}`,
        (lines) =>
          lines.map((line) => line.replace(/"created_at":"[^"]*"/, `"created_at":"${date}"`)),
        /^line 2: created_at: must be a time/,
      ],
    ),
  ]
  const tampered: [what: string, change: Tampering, detail: RegExp][] = [
    ['a changed byte', (lines) => lines.map((line) => line.replace('Zorn', 'Zorm')), /SHA-256/],
    [
      'a truncated file',
      (lines) => lines.slice(0, -1),
      /^The file is cut off: it ends after 3 of 3/,
    ],
    [
      'a line that is cut',
      (lines) => lines.slice(0, 2).map((line) => line.slice(0, 90)),
      /^line \d: The body/,
    ],
    ['a line behind its end', (lines) => [...lines, '{}'], /^line 6: something follows/],
    [
      'another version',
      ([first = '', ...rest]) => [first.replace(':1', ':2'), ...rest],
      /version 1 of semblance files alone/,
    ],
    ['something else', () => ['{"text_id":"a"}'], /this is no semblance file/],
    [
      'a long first line',
      ([first = '', ...rest]) => [first.replace('{', `{"x":"${'x'.repeat(2 ** 20)}",`), ...rest],
      /^line 1: this is no semblance file: its first line has more than 1048576 bytes/,
    ],
    ['nothing', () => [], /^The body is empty/],
    [
      'a bad manifest',
      ([first = '', ...rest]) => [first.replace('"dimensions":3', '"dimensions":0'), ...rest],
      /^line 1: instance: dimensions: must be between/,
    ],
    [
      'a scheme that is none',
      ([first = '', ...rest]) => [first.replace('\\"object\\"', '\\"text\\"'), ...rest],
      /metadataScheme is not a valid/,
    ],
  ]
  const all = [
    ...tampered.map(
      ([what, change, detail]) =>
        [
          what,
          detail,
          (file: Buffer<ArrayBuffer>) =>
            Buffer.from(
              change(linesOf(file))
                .map((line) => `${line}\n`)
                .join(''),
            ),
        ] as const,
    ),
    ...resealed.map(
      ([what, change, detail]) =>
        [what, detail, (file: Buffer<ArrayBuffer>) => sealed(change(linesOf(file)))] as const,
    ),
  ]
  it.each(all)('leaves nothing of itself with %s', async (_, detail, change) => {
    const file = await fileOf(await someProject())
    const copy = projectNamed(await newUser(), 'copy')
    const { problem, lines } = await importFile(copy, change(file))
    expect(problem?.detail, JSON.stringify(lines)).toMatch(detail)
    expect(problem.status).toBeLessThan(500)
    expect(await isThere(copy)).toBe(false)
    expect((await call('GET', `/v1/llm-services/${copy.owner.handle}`, copy.owner)).body).toEqual({
      instances: [],
    })
    expect((await importFile(copy, file)).status).toBe(200)
  })

  it('leaves to the cleaner what nobody goes on loading', async () => {
    const { database, cleaner } = await testApp()
    const { db } = database.short
    const project = await someProject()
    const marker = unique('orphan')
    const orphan = await addProject(project.owner, marker)
    await upload(orphan, embedding(marker, [1, 2, 3]))
    const id = await collectionOf(orphan)
    await call('DELETE', orphan.path(), project.owner)
    const left = () => db.$count(sql`collections`, sql`collection_id = ${id}`)
    // As a server leaves it that was killed a moment ago, and then a quarter of an hour ago.
    await db.execute(
      sql`update collections set revision = 0, added_at = now() where collection_id = ${id}`,
    )
    if ((await left()) === 0) return
    await cleaner.clean()
    expect(await left()).toBe(1)
    await db.execute(
      sql`update collections set added_at = now() - interval '16 minutes' where collection_id = ${id}`,
    )
    await cleaner.clean()
    expect(await left()).toBe(0)
  })
})
