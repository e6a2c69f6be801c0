import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { nameOf } from '../../support/data/named-keys.ts'
import { refusal } from '../../support/data/refusals.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newSharee,
  newUser,
  type Project,
  projectNamed,
  type User,
  upload,
} from '../../support/factories.ts'

const search = (
  projects: readonly Project[],
  body: object,
  key: string | null = projects[0]?.owner.key ?? null,
) =>
  call('POST', '/v1/similars', {
    ...(key !== null && { key }),
    body: { projects: projects.map(nameOf), ...body },
  })

const nouns = ['hay', 'straw', 'seed', 'bread', 'salt', 'light', 'bird', 'stone']

/** Texts of one corpus, whose text_ids have its letter. */
const corpus = (letter: string, count: number, from: number) =>
  Array.from({ length: count }, (_, at) => {
    const place = from + at
    const words = nouns.filter((_noun, noun) => (place * (noun + 3)) % 7 < 2)
    return embedding(`${letter}${String(at).padStart(3, '0')}`, [1, place / 50, (place % 9) / 10], {
      text: ['the', ...words, ...Array(place % 4).fill('and')].join(' '),
      metadata: { place, book: `b${place % 5}` },
    })
  })

describe('a search of several projects', () => {
  let owner: User
  let parts: Project[]
  let whole: Project
  beforeAll(async () => {
    owner = await newUser()
    await newInstance(owner, { dimensions: 3 })
    const corpora = [corpus('a', 40, 0), corpus('b', 25, 17), corpus('c', 1, 3)]
    parts = await Promise.all(['one', 'two', 'three'].map((handle) => addProject(owner, handle)))
    whole = await addProject(owner, 'whole')
    await upload(whole, ...corpora.flat())
    for (const [at, part] of parts.entries()) await upload(part, ...(corpora[at] ?? []))
  })

  const vector = [1, 0.4, 0.3]
  it.each([
    ['by a vector', { vector }],
    ['with a threshold', { vector, threshold: 0.97, totals: true, limit: 40 }],
    ['on a later page', { vector, offset: 13, limit: 9 }],
    ['behind the last page', { vector, threshold: 0, offset: 60, limit: 20 }],
    ['with a filter', { vector, filter: { place: { $gte: 20 } }, totals: true }],
    ['without values', { vector, metadata_path: 'book', metadata_value: 'b2' }],
    ['in groups of a field', { vector, group_by: 'book', limit: 3 }],
    ['in later groups', { vector, group_by: 'book', offset: 2, limit: 2 }],
    ['exactly', { vector, exact: true, include: ['text', 'metadata', 'vector'], limit: 30 }],
    ['by words', { words: 'salt bread' }],
    ['by words, in groups', { words: 'salt bread', group_by: 'book' }],
    ['by words with a filter', { words: 'salt', filter: { book: 'b1' }, totals: true }],
    ['by beginnings and phrases', { words: 's* "bread salt" -bird', limit: 50, totals: true }],
    ['by both', { vector, words: 'seed light', include: ['highlights'], limit: 50 }],
    ['by both, weighted', { vector, words: 'seed li*', weights: { words: 3 }, offset: 5 }],
    ['by both, in groups', { vector, words: 'seed', group_by: 'book', limit: 4 }],
  ])('finds what one project would: %s', async (_, body) => {
    const several = await search(parts, body)
    const one = await call('POST', whole.path('similars'), { key: owner.key, body })
    expect([several.status, one.status], several.body.detail).toEqual([200, 200])
    const { results, ...rest } = several.body
    const letters = 'abc'
    const found = results.map(({ project, ...result }: { project: string; id: string }) => {
      expect(project).toBe(nameOf(parts[letters.indexOf(result.id.charAt(0))] ?? whole))
      return result
    })
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(one.body.results)
    expect(rest.total_similar).toBe(one.body.total_similar)
    for (const name of ['x-search-mode', 'x-search-hidden']) {
      expect(several.headers.get(name), name).toBe(one.headers.get(name))
    }
  })

  it('searches for a stored embedding of one of them', async () => {
    const [one] = parts
    const text_id = { project: nameOf(one ?? whole), text_id: 'a005' }
    const several = await search(parts, { text_id, limit: 20 })
    const alone = await call('GET', `${whole.path('similars')}/a005?limit=20`, { key: owner.key })
    const ids = ({ body }: typeof several) => body.results.map(({ id }: { id: string }) => id)
    expect(ids(several)).toEqual(ids(alone))
    const withItself = await search(parts, { text_id, include_self: true })
    expect(withItself.body.results[0]).toMatchObject({ id: 'a005', similarity: 1 })
    expect(await search(parts, { text_id: { ...text_id, text_id: 'b001' } })).toMatchObject(
      refusal(404, "'b001' not found in project"),
    )
  })

  it('has the best of each project', async () => {
    const body = { vector, group_by: 'project', group_size: 2 }
    const { results } = (await search(parts, body)).body
    const groups = results.map(({ group }: { group: string }) => group)
    expect(groups.toSorted()).toEqual(
      parts.flatMap((part) => Array(part.handle === 'three' ? 1 : 2).fill(nameOf(part))).toSorted(),
    )
    const second = (await search(parts, { ...body, offset: 1, limit: 1 })).body.results
    expect(new Set(second.map(({ group }: { group: string }) => group)).size).toBe(1)
    const ofField = await search(parts, { vector, group_by: String.raw`\project` })
    expect(ofField.body.results.map(({ group }: { group: unknown }) => group)).toEqual([null])
  })

  it('says which field none of them has, and what a refusal is about', async () => {
    const note = async (filter: object) =>
      (await search(parts, { vector, filter })).headers.get('x-search-note')
    expect(await note({ book: 'b1' })).toBe(null)
    expect(await note({ bok: 'b1' })).toBe(
      `No document of this project has a field "bok" in its metadata (${parts.map(nameOf).join(', ')})`,
    )
    expect(await search(parts, { vector: [1, 2] })).toMatchObject(
      refusal(400, /expected 3 dimensions, got 2 \(.*\/one\)/),
    )
  })

  it.each([
    [{ projects: [], vector }, /projects/],
    [{ projects: Array(21).fill('a/b'), vector }, /projects/],
    [{ projects: ['a/b', 'a/b'], vector }, /each project once/],
    [{ projects: ['a'], vector }, /must be owner\/handle/],
    [{ vector, group_by: 'book', group_size: 2 }, /group_size must be 1/],
    [{ vector, offset: 1_801 }, /offset/],
    [{ vector, text_id: { project: 'a/b', text_id: 'x' } }, /text_id.project must be one of/],
    [{ vector, diversity: 0.5 }, /'diversity'/],
    [{ vector, include: ['around'] }, /around and percentile/],
    [{}, /words is required/],
  ])('refuses %j', async (body, detail) => {
    expect(await search(parts, body)).toMatchObject(refusal(400, detail))
  })
})

it('needs one model, but for words', async () => {
  const [one, other] = [
    await newProject({}, { dimensions: 2 }),
    await newProject({ public_read: true }, { dimensions: 2, model: 'another' }),
  ]
  await upload(one, embedding('a', [1, 0], { text: 'hay' }))
  await upload(other, embedding('a', [1, 0], { text: 'hay' }))
  expect(await search([one, other], { vector: [1, 0] })).toMatchObject(
    refusal(400, `'${nameOf(other)}' has another (2 dimensions)`),
  )
  const found = await search([one, other], { words: 'hay' })
  expect(found.body.results.map(({ project }: { project: string }) => project)).toEqual(
    [one, other].map(nameOf),
  )
})

it('refuses a project that may not be read as if it stood alone', async () => {
  const open = await newProject({ public_read: true }, { dimensions: 2 })
  const closed = await newProject({}, { dimensions: 2 })
  const missing = projectNamed(closed.owner, 'missing')
  const reader = await newSharee(closed, 'reader')
  for (const key of [null, open.owner.key, reader.key, closed.owner.key]) {
    for (const project of [closed, missing]) {
      const alone = await call('POST', project.path('similars'), {
        ...(key !== null && { key }),
        body: { vector: [1, 0] },
      })
      const ofBoth = await search([open, project], { vector: [1, 0] }, key)
      expect([ofBoth.status, ofBoth.body.detail]).toEqual([alone.status, alone.body.detail])
    }
  }
})
