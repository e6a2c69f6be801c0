import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { refusal } from '../../support/data/refusals.ts'
import { found, search, searchBatch } from '../../support/data/similars.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newUser,
  type Project,
  upload,
} from '../../support/factories.ts'

const ids = async (project: Project, body: object) =>
  (await found(project, body)).map(({ id }) => id)

const texts = {
  kingdom: 'The kingdom of heaven is at hand',
  seed: 'The kingdom of heaven is like to a grain of mustard seed',
  birds: 'Behold the fowls of the air',
  bread: 'Give us this day our daily bread',
  silent: undefined,
}

async function stored(): Promise<Project> {
  const project = await newProject({}, { dimensions: 2 })
  const embeddings = Object.entries(texts).map(([id, text], at) =>
    embedding(id, [1, at / 10], { ...(text && { text }), metadata: { place: at } }),
  )
  await upload(project, ...embeddings)
  return project
}

describe('a search by words', () => {
  let project: Project
  beforeAll(async () => {
    project = await stored()
  })

  it('finds the texts that have them, the best first', async () => {
    const results = await found(project, { words: 'mustard KINGDOM' })
    expect(results.map(({ id }) => id)).toEqual(['seed', 'kingdom'])
    expect(results.every((result) => result.similarity === undefined)).toBe(true)
    expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? Number.NaN)
  })

  it('finds phrases and beginnings, and leaves out what has a word with a minus', async () => {
    expect(await ids(project, { words: '"grain of mustard"' })).toEqual(['seed'])
    expect(await ids(project, { words: '"mustard grain"' })).toEqual([])
    expect(await ids(project, { words: 'must*' })).toEqual(['seed'])
    expect(await ids(project, { words: 'kingdom -mustard' })).toEqual(['kingdom'])
  })

  it('takes anything as words', async () => {
    const nothing = ['"', '-', '*', '""', '-"', '---', '***', ' ', '(((', 'a'.repeat(9_999)]
    for (const words of nothing) expect(await ids(project, { words }), words).toEqual([])
    expect(await ids(project, { words: '"bread' })).toEqual(['bread'])
    // Of code points.
    expect((await search(project, { words: '😀'.repeat(10_000) })).status).toBe(200)
    expect((await search(project, { words: '😀'.repeat(10_001) })).status).toBe(400)
  })

  it('has pages, counts, filters, and leaves out what metadata_path says', async () => {
    expect(await ids(project, { words: 'the', limit: 1, offset: 1 })).toHaveLength(1)
    const all = await ids(project, { words: 'the' })
    const pages = await Promise.all(
      all.map((_, offset) => ids(project, { words: 'the', limit: 1, offset })),
    )
    expect(pages.flat()).toEqual(all)
    expect(await ids(project, { words: 'the', filter: { place: { $gte: 1 } } })).toEqual(
      all.filter((id) => id !== 'kingdom'),
    )
    const excluding = { metadata_path: 'place', metadata_value: '2' }
    expect(await ids(project, { words: 'the', ...excluding })).toEqual(
      all.filter((id) => id !== 'birds'),
    )
    for (const filter of [undefined, { place: { $gte: 1 } }]) {
      const { body } = await search(project, { words: 'the', totals: true, limit: 1, filter })
      expect(body.total_similar).toBe(filter === undefined ? 3 : 2)
    }
  })

  it('shows what include asks for, and groups', async () => {
    const shown = await search(project, { words: 'bread', include: ['text', 'metadata'] })
    expect(shown.body.results).toMatchObject([
      { id: 'bread', text: texts.bread, metadata: { place: 3 } },
    ])
    const grouped = await search(project, { words: 'the', group_by: 'place' })
    expect(grouped.body.results.map(({ group }: { group: unknown }) => group).sort()).toEqual([
      0, 1, 2,
    ])
  })

  it('is a GET without a text_id, and no POST', async () => {
    const { key } = project.owner
    const path = project.path('similars')
    const got = await call('GET', `${path}?words=daily+bread`, { key })
    expect(got.body.results).toMatchObject([{ id: 'bread' }])
    const posted = await call('POST', `${path}?words=bread`, { key, body: { text_id: 'bread' } })
    expect(posted.status).toBe(400)
    const neither = await call('GET', path, { key })
    expect(neither).toMatchObject({ status: 400, body: { detail: 'text_id or words is required' } })
  })

  it('finds what was uploaded, replaced and deleted before', async () => {
    const changing = await stored()
    expect(await ids(changing, { words: 'bread' })).toEqual(['bread'])
    await upload(changing, embedding('wine', [0, 1], { text: 'bread and wine' }))
    expect(new Set(await ids(changing, { words: 'bread' }))).toEqual(new Set(['bread', 'wine']))
    const { key } = changing.owner
    const replaced = embedding('bread', [0, 1], { text: 'stones' })
    const put = await call('POST', `${changing.path('embeddings')}?on_conflict=replace`, {
      key,
      body: { embeddings: [replaced] },
    })
    expect(put.status).toBeLessThan(300)
    expect(await ids(changing, { words: 'bread' })).toEqual(['wine'])
    expect(await ids(changing, { words: 'stones' })).toEqual(['bread'])
    await call('DELETE', `${changing.path('embeddings')}/wine`, { key })
    expect(await ids(changing, { words: 'bread' })).toEqual([])
    await call('DELETE', changing.path('embeddings'), { key })
    expect(await ids(changing, { words: 'stones' })).toEqual([])
  })

  it('finds the last of more changes than are read at once', async () => {
    const changing = await newProject({}, { dimensions: 1 })
    const many = Array.from({ length: 5_001 }, (_, at) => embedding(`d${at}`, [1], { text: 'hay' }))
    await upload(changing, ...many)
    expect(await ids(changing, { words: 'hay', limit: 1 })).toHaveLength(1)
    const { key } = changing.owner
    const path = `${changing.path('embeddings')}?on_conflict=replace`
    for (let time = 0; time < 2; time += 1) {
      await call('POST', path, { key, body: { embeddings: many } })
    }
    await upload(changing, embedding('new', [1], { text: 'needle' }))
    expect(await ids(changing, { words: 'needle' })).toEqual(['new'])
  })

  it('finds what a filter keeps, and groups, beyond the first thousand matches', async () => {
    const project = await newProject({}, { dimensions: 1 })
    const many = Array.from({ length: 1_300 }, (_, at) =>
      embedding(`d${1_000 + at}`, [1], { text: 'hay', metadata: { at } }),
    )
    await upload(project, ...many)
    const filter = { at: { $gte: 1_295 } }
    const last = ['d2295', 'd2296', 'd2297', 'd2298', 'd2299']
    expect(await ids(project, { words: 'hay', filter })).toEqual(last)
    expect(await ids(project, { words: 'hay', filter, offset: 3 })).toEqual(last.slice(3))
    const { body } = await search(project, { words: 'hay', filter, totals: true, limit: 1 })
    expect(body.total_similar).toBe(5)
    expect(await ids(project, { words: 'hay', group_by: 'at', offset: 1_295 })).toEqual(last)
  })

  it('refuses words that are too frequent to be ranked', async () => {
    const project = await newProject({}, { dimensions: 1 })
    const text = 'a '.repeat(50_000)
    await upload(
      project,
      ...Array.from({ length: 20 }, (_, at) => embedding(`d${at}`, [1], { text })),
    )
    expect(await ids(project, { words: 'a -"a b"' })).toHaveLength(10)
    const refused = await search(project, { words: `"${'a '.repeat(32)}"` })
    expect(refused).toMatchObject(refusal(422, 'occur too often'))
    const { key } = project.owner
    await call('PATCH', project.path(), { key, body: { public_read: true } })
    const body = { words: `"${'a '.repeat(8)}"` }
    expect((await search(project, body)).status).toBe(200)
    expect(await search(project, body, { key: undefined })).toMatchObject(
      refusal(422, 'with a key'),
    )
  })

  it('sees one project only', async () => {
    const owner = await newUser('owner')
    await newInstance(owner, { dimensions: 2 })
    const [one, other] = [await addProject(owner, 'one'), await addProject(owner, 'other')]
    await upload(one, embedding('a', [1, 0], { text: 'a secret' }))
    await upload(other, embedding('b', [1, 0], { text: 'no news' }))
    expect(await ids(one, { words: 'secret' })).toEqual(['a'])
    expect(await ids(other, { words: 'secret' })).toEqual([])
    const stranger = await newUser('stranger')
    expect((await search(one, { words: 'secret' }, stranger)).status).toBe(403)
  })
})

describe('a search by a vector and words', () => {
  it('fuses both rankings by reciprocal rank', async () => {
    const project = await stored()
    const results = await found(project, { vector: [1, 0], words: 'bread', threshold: 0 })
    const byVector = await ids(project, { vector: [1, 0], threshold: 0 })
    const rankOf = (id: string) => 1 + byVector.indexOf(id)
    expect(results[0]).toMatchObject({ id: 'bread', words_rank: 1, vector_rank: rankOf('bread') })
    expect(results[0]?.score).toBeCloseTo(1 / 61 + 1 / (60 + rankOf('bread')), 10)
    expect(results.slice(1).map(({ id }) => id)).toEqual(byVector.filter((id) => id !== 'bread'))
    expect(results.every(({ similarity }) => similarity !== undefined)).toBe(true)
  })

  it('keeps what only the words find, with its similarity, whatever the threshold', async () => {
    const project = await stored()
    await upload(project, embedding('opposite', [-1, 0.001], { text: 'leaven' }))
    const results = await found(project, { text_id: 'kingdom', words: 'leaven', threshold: 0.999 })
    expect(results.find(({ id }) => id === 'opposite')).toMatchObject({
      similarity: 0,
      words_rank: 1,
    })
    expect(results.map(({ id }) => id)).not.toContain('kingdom')
  })

  it('counts each side by its weight', async () => {
    const project = await stored()
    const asked = { vector: [1, 0], words: 'bread', threshold: 0 }
    const [first] = await ids(project, { ...asked, weights: { words: 0 } })
    expect(first).toBe('kingdom')
    expect((await ids(project, { ...asked, weights: { vector: 0 } }))[0]).toBe('bread')
  })

  it.each([
    [{ vector: [1, 0] }],
    [{ text_id: 'butter' }],
    [{ vector: [1, 0], weights: { vector: 0, words: 1 } }],
    [{ vector: [1, 0], weights: { vector: 1, words: 0 } }],
  ])('leaves out what has a word with a minus, whatever else is asked: %j', async (asked) => {
    const project = await newProject({}, { dimensions: 2 })
    const stored = {
      ...{ both: 'bread and butter', train: 'bread on the train', basel: 'train to Basel' },
      ...{ butter: 'butter', silent: undefined },
    }
    const embeddings = Object.entries(stored).map(([id, text], at) =>
      embedding(id, [1, at / 10], text === undefined ? {} : { text }),
    )
    await upload(project, ...embeddings)
    const all = { ...asked, threshold: 0, include_self: true }
    for (const words of ['bread -train', '-"the train" -basel', 'bread -tra*', '-train']) {
      const results = await ids(project, { ...all, words })
      expect(results.toSorted()).toEqual(['both', 'butter', 'silent'])
      const pages = [0, 1, 2].map((offset) => ids(project, { ...all, words, limit: 1, offset }))
      expect((await Promise.all(pages)).flat()).toEqual(results)
      const { body } = await searchBatch(project, { ...all, words })
      expect(body.answers[0].results.map(({ id }: { id: string }) => id)).toEqual(results)
    }
  })

  it('looks further down where the nearest are left out', async () => {
    const project = await newProject({}, { dimensions: 2 })
    const embeddings = Array.from({ length: 450 }, (_, at) =>
      embedding(`t${at}`, [1, at / 1_000], { text: at < 420 ? 'train' : 'bread' }),
    )
    await upload(project, ...embeddings)
    const asked = { vector: [1, 0], threshold: 0, words: '-train', limit: 200 }
    const nearest = Array.from({ length: 30 }, (_, at) => `t${420 + at}`)
    expect(await ids(project, asked)).toEqual(nearest)
  })

  it('finds nothing from a text_id that is not there', async () => {
    const project = await stored()
    const answer = await search(project, { text_id: 'nowhere', words: 'bread' })
    expect(answer.status).toBe(404)
  })
})

describe('highlights', () => {
  const marks = (project: Project, body: object) =>
    found(project, { include: ['highlights'], ...body })

  it('say where the words are, with the text or without it', async () => {
    const project = await stored()
    const start = texts.bread.indexOf('bread')
    const highlights = [{ start, end: start + 5 }]
    const [first] = await marks(project, { words: 'bread' })
    expect(first).toEqual({ id: 'bread', score: expect.any(Number), highlights })
    const shown = await marks(project, { words: 'bread', include: ['text', 'highlights'] })
    expect(shown).toMatchObject([{ text: texts.bread, highlights }])
    const query = '?words=bread&include=highlights,metadata'
    const inUrl = await call('GET', project.path('similars') + query, project.owner)
    expect(inUrl.body.results).toMatchObject([{ highlights, metadata: { place: 3 } }])
    const both = { vector: [1, 0], words: 'bread', threshold: 0 }
    for (const { id, ...rest } of await marks(project, both)) {
      const expected = id === 'bread' ? highlights : []
      expect(rest, id).toMatchObject(id === 'silent' ? {} : { highlights: expected })
      expect('highlights' in rest, id).toBe(id !== 'silent')
    }
  })

  it('are those of each search in a batch', async () => {
    const project = await stored()
    const searches = [
      { words: 'bread', include: ['highlights'] },
      { words: 'day bread' },
      { words: '"daily bread"', include: ['highlights'] },
    ]
    const { body } = await searchBatch(project, ...searches)
    const shown = body.answers.map(({ results }: { results: { highlights?: unknown }[] }) =>
      results.map(({ highlights }) => highlights),
    )
    expect(shown).toEqual([[[{ start: 27, end: 32 }]], [undefined], [[{ start: 21, end: 32 }]]])
  })
})
