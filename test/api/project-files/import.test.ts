import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openEmbedded } from '../../../src/db/embedded/open.ts'
import { exampleFile } from '../../../src/project-files/schemas.ts'
import { adminKey, testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { collectionOf } from '../../support/data/indexed.ts'
import { setScheme, uploadMetadata } from '../../support/data/metadata.ts'
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
import { ndjson } from '../../support/ndjson.ts'
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
    const stranger = await newUser()
    await newInstance(stranger)
    const changed = (...changes: [part: string | RegExp, by: string][]) =>
      sealed(linesOf(file).map((line) => changes.reduce((now, each) => now.replace(...each), line)))
    const made = `The embeddings of the file were made by model 'small' with 3 dimensions, but LLM service instance '${user.handle}/`
    const cases: [query: string, status: number, detail: string, sent?: Buffer][] = [
      ['', 409, `${made}model' has model 'large' with 3`],
      ['instance_handle=wide', 409, `${made}wide' has model 'small' with 4`],
      [`instance_owner=${stranger.handle}&instance_handle=model`, 403, ''],
      [
        ...(['', 409, 'has another endpoint or API standard'] as const),
        changed(['"model","endpoint', '"moved","endpoint']),
      ],
      [
        ...(['', 400, "api_standard: there is no API standard 'provider-x'"] as const),
        changed(['provider-a"', 'provider-x"'], ['"model","e', '"new","e']),
      ],
      [
        ...(['', 400, 'instance_handle is required'] as const),
        changed([/"instance":\{[^}]*\}/, '"instance":null']),
      ],
    ]
    for (const [query, status, detail, sent = file] of cases) {
      const { problem } = await importFile(projectNamed(user, 'copy'), sent, query)
      expect(problem).toMatchObject({ status, detail: expect.stringContaining(detail) })
    }
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

  type Change = (lines: string[]) => string[]
  const inLines =
    (part: string | RegExp, by: string): Change =>
    (lines) =>
      lines.map((line) => line.replace(part, by))
  const inFirst =
    (part: string, by: string): Change =>
    ([first = '', ...rest]) => [first.replace(part, by), ...rest]
  const vectors = /"vector":"[^"]*"/

  type Bad = [what: string, change: Change, detail: RegExp]
  const asItIs: Bad[] = [
    ['a changed byte', inLines('Zorn', 'Zorm'), /SHA-256/],
    [
      'a truncated file',
      (lines) => lines.slice(0, -1),
      /^The file is cut off: it ends after 3 of 3/,
    ],
    ['a cut line', ([first = '', a = '']) => [first.slice(0, 90), a], /^line \d: The body/],
    ['a line behind its end', (lines) => [...lines, '{}'], /^line 6: something follows/],
    ['another version', inFirst(':1', ':2'), /version 1 of semblance files alone/],
    ['something else', () => ['{"text_id":"a"}'], /this is no semblance file/],
    [
      'a long first line',
      inFirst('{', `{"x":"${'x'.repeat(2 ** 20)}",`),
      /^line 1: this is no semblance file: its first line has more than 1048576 bytes/,
    ],
    ['nothing', () => [], /^The body is empty/],
    [
      'a bad manifest',
      inFirst('"dimensions":3', '"dimensions":0'),
      /^line 1: instance: dimensions: /,
    ],
    ['a bad scheme', inFirst('\\"object\\"', '\\"text\\"'), /metadataScheme is not a valid/],
  ]
  /** Whose SHA-256 is right. */
  const sealedAnew: Bad[] = [
    [
      'a wrong count',
      inFirst('"embeddings":3', '"embeddings":4'),
      /^line 5: the file's first line announces 4 embeddings, and there are 3/,
    ],
    [
      'a wrong count at its end',
      inLines(/^\{"embeddings":3/, '{"embeddings":1'),
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
    ['a short vector', inLines(vectors, '"vector":"AACAPw=="'), /^line 2: the vector has 1 dimen/],
    [
      'a vector without a direction',
      inLines(vectors, '"vector":"AAAAAAAAAAAAAAAA"'),
      /^line 2: vector: a vector of length zero/,
    ],
    // The last of them would be in the year 10000, which JSON does not have.
    ...['yesterday', '2026-02-30T00:00:00.000000Z', '9999-12-31T24:00:00.000000Z'].map(
      (date): Bad => [
        `the date ${date}`,
        inLines(/"created_at":"[^"]*"/, `"created_at":"${date}"`),
        /^line 2: created_at: must be a time/,
      ],
    ),
  ]
  it.each([
    ...asItIs.map((bad) => [...bad, (lines: string[]) => Buffer.from(ndjson(...lines))] as const),
    ...sealedAnew.map((bad) => [...bad, sealed] as const),
  ])('leaves nothing of itself with %s', async (_, change, detail, written) => {
    const file = await fileOf(await someProject())
    const copy = projectNamed(await newUser(), 'copy')
    const { problem, lines } = await importFile(copy, written(change(linesOf(file))))
    expect(problem?.detail, JSON.stringify(lines)).toMatch(detail)
    expect(problem.status).toBeLessThan(500)
    expect(await isThere(copy)).toBe(false)
    expect((await call('GET', `/v1/llm-services/${copy.owner.handle}`, copy.owner)).body).toEqual({
      instances: [],
    })
    expect((await importFile(copy, file)).status).toBe(200)
  })

  it('has metadata as they are, though the metadataScheme was set after their upload', async () => {
    const project = await newProject()
    await upload(project, embedding('old', [1, 2, 3], { metadata: { year: 'none' } }))
    await setScheme(project, { properties: { year: { type: 'number' } } })
    const file = await fileOf(project)
    const copy = projectNamed(await newUser(), 'copy')
    expect((await importFile(copy, file)).problem).toBe(undefined)
    expect((await fileOf(copy)).equals(file)).toBe(true)
    expect((await uploadMetadata(copy, { year: 'none' })).status).toBe(400)
  })

  it('may hold numbers that PostgreSQL prints with hundreds of digits', async () => {
    const project = await newProject()
    const text = '\u0001'.repeat(2 ** 19)
    const metadata = { tiny: Array.from({ length: 37_000 }, () => 5e-324) }
    await upload(project, embedding('long', [1, 2, 3], { text, metadata }))
    const copy = projectNamed(await newUser(), 'copy')
    expect((await importFile(copy, await fileOf(project))).problem).toBe(undefined)
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
