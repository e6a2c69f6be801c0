import { sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mapLimits } from '../../../src/maps/limits.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { gospels384, gospels1536, type Verse } from '../../support/data/gospels.ts'
import { ask, unwatchedApp } from '../../support/exports.ts'
import { addProject, embedding, newProject, type Project, upload } from '../../support/factories.ts'
import { waitUntil } from '../../support/wait.ts'

const mapPath = (project: Project, query = '') => `${project.path()}/map${query}`

/** The map, once it is there. */
async function mapOf(project: Project, query = '', key: string | undefined = project.owner.key) {
  const answer = await waitUntil(async () => {
    const found = await call('GET', mapPath(project, query), { ...(key && { key }) })
    return found.status === 202 ? undefined : found
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** What another app answers in the end, when it is not computing any more. */
const answerOf = (app: TestApp['app'], project: Project) =>
  waitUntil(async () => {
    const found = await ask(mapPath(project), project.owner.key, app)
    return found.status === 202 ? void (await found.text()) : found
  })

const uploadVerses = (project: Project, verses: readonly Verse[]) =>
  upload(
    project,
    ...verses.map(({ text_id, vector, metadata }) => embedding(text_id, vector, { metadata })),
  )

const everyOf = (verses: readonly Verse[], step: number) =>
  verses.filter((_, index) => index % step === 0)
/** Enough for a map whose faithfulness can be told. */
const [step384, step1536] = [24, 16]
/** Enough for any map. */
const someVerses = () => everyOf(gospels384(), 64)

async function projectOfVerses(fields: object = {}, verses = someVerses()) {
  const project = await newProject(fields, { dimensions: verses[0]?.vector.length ?? 0 })
  for (let at = 0; at < verses.length; at += 50) {
    await uploadVerses(project, verses.slice(at, at + 50))
  }
  return project
}

interface Places {
  readonly text_ids: string[]
  readonly x: number[]
  readonly y: number[]
}

/** Of the nearest three on the map, the share that is among the 30 most similar. */
function faithfulness({ text_ids, x, y }: Places, verses: readonly Verse[]): number {
  const vectors = new Map(verses.map(({ text_id, vector }) => [text_id, vector]))
  const nearest = (distance: (other: number) => number, self: number, count: number) =>
    text_ids
      .map((_, other) => ({ other, at: other === self ? Infinity : distance(other) }))
      .sort((a, b) => a.at - b.at)
      .slice(0, count)
      .map(({ other }) => other)
  const product = (one: number, other: number) => {
    const [a = [], b = []] = [vectors.get(text_ids[one] ?? ''), vectors.get(text_ids[other] ?? '')]
    return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  }
  const shares = text_ids.map((_, self) => {
    const here = nearest(
      (other) => Math.hypot((x[self] ?? 0) - (x[other] ?? 0), (y[self] ?? 0) - (y[other] ?? 0)),
      self,
      3,
    )
    const there = nearest((other) => -product(self, other), self, 30)
    return here.filter((other) => there.includes(other)).length / 3
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}

describe('the map of a project', () => {
  it('has each text near those that are similar, and is the same for the same texts', async () => {
    const verses = everyOf(gospels384(), step384)
    const [one, other] = [
      await projectOfVerses({}, verses),
      await projectOfVerses({}, verses.toReversed()),
    ]
    const map = await mapOf(one)
    const ids = verses.map(({ text_id }) => text_id).sort()
    expect(map).toMatchObject({
      status: 'ready',
      count: ids.length,
      missing_count: 0,
      gone_count: 0,
    })
    expect(map.revision).toBe(map.current_revision)
    expect(map.text_ids).toEqual(ids)
    const coordinates = [...map.x, ...map.y]
    expect(coordinates).toHaveLength(2 * ids.length)
    expect(Math.max(...coordinates.map(Math.abs))).toBeCloseTo(1, 4)
    // By chance it is 0.19.
    expect(faithfulness(map, verses)).toBeGreaterThan(0.45)
    const { x, y } = await mapOf(other)
    expect({ x, y }).toEqual({ x: map.x, y: map.y })
  })

  it('is of vectors in fewer dimensions where they are long', async () => {
    const { app } = await unwatchedApp({
      mapLimits: { ...mapLimits, components: 100_000, waitMs: 60_000 },
    })
    const verses = everyOf(gospels1536(), step1536)
    const project = await projectOfVerses({}, verses)
    const answer = await answerOf(app, project)
    expect(answer.status).toBe(200)
    expect(faithfulness(JSON.parse(await answer.text()), verses)).toBeGreaterThan(0.45)
  })

  it('is there for few texts, and for equal ones', async () => {
    const project = await newProject({}, { dimensions: 2 })
    expect(await mapOf(project)).toMatchObject({ count: 0, text_ids: [], x: [], y: [] })
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      await upload(project, embedding(id, at < 2 ? [1, 0] : [at, 1]))
      const { current_revision } = await mapOf(project)
      const map = await mapOf(project, `?min_revision=${current_revision}`)
      expect(map).toMatchObject({ count: at + 1, missing_count: 0, revision: current_revision })
      for (const value of [...map.x, ...map.y]) expect(Math.abs(value)).toBeLessThanOrEqual(1)
      if (at === 0) expect(map).toMatchObject({ x: [0], y: [0] })
    }
  })

  it('is refused where there are too many texts', async () => {
    const { app } = await unwatchedApp({
      mapLimits: { ...mapLimits, texts: 2, components: 100, waitMs: 60_000 },
    })
    const project = await newProject({}, { dimensions: 2 })
    await upload(project, embedding('a', [1, 0]), embedding('b', [0, 1]))
    expect((await answerOf(app, project)).status).toBe(200)
    await upload(project, embedding('c', [1, 1]))
    const answer = await ask(mapPath(project), project.owner.key, app)
    expect(await answer.json()).toEqual({
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'Maps are made of up to 2 embeddings, and this project has more',
    })
  })
})

describe('what a map is coloured by', () => {
  it('are the different values of a field, and which of them each text has', async () => {
    const project = await newProject({}, { dimensions: 2 })
    const metadata = [{ a: { b: 'x' }, 'n.1': 2 }, { a: { b: 'x' }, 'n.1': '2' }, { a: { b: [1] } }]
    const rows = metadata.map((each, at) => embedding(`t${at}`, [1, at], { metadata: each }))
    await upload(project, ...rows, embedding('u', [0, 1]))
    for (const expected of [
      { path: 'a.b', values: ['x'], indexes: [0, 0, -1, -1] },
      { path: 'n\\.1', values: [2, '2'], indexes: [0, 1, -1, -1] },
      { path: 'none', values: [], indexes: [-1, -1, -1, -1] },
    ]) {
      const { field } = await mapOf(project, `?field=${encodeURIComponent(expected.path)}`)
      expect(field).toEqual({ ...expected, more_values: false })
    }
    expect(await mapOf(project)).not.toHaveProperty('field')
  })

  it.each([
    ['field=', 'field must not be empty'],
    [`field=${'a.'.repeat(40)}a`, 'field must have at most 32 segments'],
    ['field=a&field=b', 'field must be given once'],
  ])('is refused where it is not right: %s', async (query, detail) => {
    const project = await newProject({}, { dimensions: 2 })
    const { key } = project.owner
    const answer = await call('GET', mapPath(project, `?${query}`), { key })
    expect(answer.body).toEqual({ title: 'Bad Request', status: 400, detail })
  })
})

describe('a map that is older than the data', () => {
  it('says what it lacks, shows nothing that is gone, and is made anew when it is asked for', async () => {
    const project = await projectOfVerses()
    const before = await mapOf(project)
    const [gone] = before.text_ids
    await call('DELETE', `${project.path('embeddings')}/${gone}`, { key: project.owner.key })
    await upload(project, embedding('zz-new', gospels384()[1]?.vector ?? []))
    const old = await mapOf(project)
    expect(old).toMatchObject({
      revision: before.revision,
      current_revision: before.revision + 2,
      text_ids: before.text_ids.slice(1),
      x: before.x.slice(1),
      missing_count: 1,
      gone_count: 1,
    })
    const made = await mapOf(project, `?min_revision=${old.current_revision}`)
    expect(made).toMatchObject({
      revision: old.current_revision,
      text_ids: [...before.text_ids.slice(1), 'zz-new'],
      missing_count: 0,
      gone_count: 0,
    })
  })

  it.each([
    { of: 'the server', serverIs: -3_600_000, map: '0 s' },
    { of: 'the database', serverIs: 0, map: '1 hour' },
  ])('is made anew also when the clock of $of has been set back', async ({ serverIs, map }) => {
    const project = await projectOfVerses()
    await mapOf(project)
    await upload(project, embedding('zz-new', gospels384()[1]?.vector ?? []))
    const { database } = await testApp()
    const { current_revision } = await mapOf(project)
    await database.short.db.execute(sql`
      update maps set computed_at = computed_at + ${map}::interval where collection_id =
        (select collection_id from projects join users on user_id = owner_id
         where user_handle = ${project.owner.handle})`)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + serverIs })
    onTestFinished(() => void vi.useRealTimers())
    const made = await mapOf(project, `?min_revision=${current_revision}`)
    expect(made).toMatchObject({ revision: current_revision, missing_count: 0 })
  })

  it('is gone with the embeddings, and nothing of it comes back with the handle', async () => {
    const project = await projectOfVerses()
    const { key } = project.owner
    await mapOf(project)
    await call('DELETE', project.path('embeddings'), { key })
    expect(await mapOf(project)).toMatchObject({ count: 0, gone_count: 0, text_ids: [] })
    await upload(project, embedding('only', gospels384()[0]?.vector ?? []))
    expect(await mapOf(project)).toMatchObject({ count: 1, gone_count: 0, text_ids: ['only'] })
  })
})

describe('while a map is computed', () => {
  const hasty = (smallTexts = mapLimits.smallTexts) =>
    unwatchedApp({ mapLimits: { ...mapLimits, waitMs: 0, smallTexts } })

  it('it is said how far it is, to all who ask, until it is there', async () => {
    const { app } = await hasty()
    const project = await projectOfVerses()
    const request = () => ask(mapPath(project), project.owner.key, app)
    const answers = await Promise.all([request(), request()])
    for (const answer of answers) {
      expect(answer.status).toBe(202)
      expect(answer.headers.get('retry-after')).toBe('2')
      expect(await answer.json()).toMatchObject({
        status: expect.stringMatching(/^(waiting|computing)$/),
        progress: expect.any(Number),
      })
    }
    const progress: number[] = []
    await waitUntil(async () => {
      const answer = await request()
      const body = Object(await answer.json())
      if (answer.status === 202) progress.push(body.progress)
      return answer.status === 200
    }, 20)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  })

  it('who asks for too many at once gets 503, and others still get in', async () => {
    const { app } = await hasty()
    const first = await newProject({}, { dimensions: 2 })
    const { owner } = first
    const projects = [first]
    while (projects.length < 24) {
      projects.push(await addProject(owner, `texts-${projects.length}`))
    }
    for (const project of projects) await upload(project, embedding('a', [1, 0]))
    const answers = await Promise.all(
      projects.map((project) => ask(mapPath(project), owner.key, app)),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status !== 503).length).toBeGreaterThan(10)
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
    const other = await newProject({}, { dimensions: 2 })
    await upload(other, embedding('a', [1, 0]))
    expect([200, 202]).toContain((await ask(mapPath(other), other.owner.key, app)).status)
  })

  /** When each was made. */
  async function timesOf(app: TestApp['app'], projects: readonly Project[]) {
    const times: number[] = []
    for (const project of projects) {
      const answer = await answerOf(app, project)
      times.push(Date.parse(Object(await answer.json()).computed_at))
    }
    return times
  }

  it('a small one need not wait for a large one', async () => {
    const { app } = await hasty(2)
    const [large, small] = await Promise.all([projectOfVerses(), newProject({}, { dimensions: 2 })])
    await upload(small, embedding('a', [1, 0]))
    for (const project of [large, small]) await ask(mapPath(project), project.owner.key, app)
    const [later = 0, sooner = 0] = await timesOf(app, [large, small])
    expect(sooner).toBeLessThan(later)
  })

  it.each([
    ['without a key gives way to one', false],
    ['with a key as well gives way to no other', true],
  ])('one that was asked for %s with a key', async (_, isAskedWithKey) => {
    const { app } = await hasty(2)
    const [open, own] = await Promise.all([
      projectOfVerses({ public_read: true }),
      projectOfVerses(),
    ])
    await ask(mapPath(open), undefined, app)
    if (isAskedWithKey) await ask(mapPath(open), open.owner.key, app)
    await ask(mapPath(own), own.owner.key, app)
    // Who asks how far the second is asks with a key.
    const [sooner = 0, later = 0] = await timesOf(app, isAskedWithKey ? [open, own] : [own, open])
    expect(sooner).toBeLessThan(later)
  })
})

it('who waits for a place to read a map without a key has it in turn, though one with a key waits as long', async () => {
  const { app } = await unwatchedApp({ readerTickMs: 200 })
  const [open, ...own] = await Promise.all(
    Array.from({ length: 6 }, () => newProject({ public_read: true }, { dimensions: 2 })),
  )
  if (open === undefined) throw new Error('no project')
  for (const project of [open, ...own]) {
    await upload(project, embedding('a', [1, 0]))
    await mapOf(project)
  }
  const read = (project: Project, key?: string) => ask(mapPath(project), key, app)
  // They take nothing, and lose their places after more than a second.
  const slow = await Promise.all(own.slice(1).map((each) => read(each, each.owner.key)))
  onTestFinished(() => void slow.map((answer) => answer.body?.cancel().catch(() => {})))
  const keyed = own.slice(0, 1).map((each) => read(each, each.owner.key))
  const answers = await Promise.all([...keyed, read(open)].map(async (each) => (await each).text()))
  for (const answer of answers) expect(answer).toContain('"text_ids":["a"]')
})
