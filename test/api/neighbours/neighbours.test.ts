import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { idsOfNeighbours, neighboursOf } from '../../support/data/neighbours.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

const planar = () => newProject({}, { dimensions: 2 })

describe('all neighbours', () => {
  it('have one line for each embedding, also without neighbours', async () => {
    const project = await planar()
    expect(await neighboursOf(project)).toEqual([])
    await upload(project, embedding('one', [1, 0]))
    expect(await neighboursOf(project)).toEqual([{ id: 'one', neighbours: [] }])
    await upload(project, embedding('other', [0, 1]), embedding('near', [1, 0.1]))
    expect(await idsOfNeighbours(project)).toEqual({ one: ['near'], other: [], near: ['one'] })
  })

  it('are in byte order where they are equal, whatever the length of their vectors', async () => {
    const project = await planar()
    const ids = ['a', 'B', 'ä', 'z', '𝄞']
    await upload(project, ...ids.map((id, at) => embedding(id, [2 ** at, 2 ** at])))
    const order = ['B', 'a', 'z', 'ä', '𝄞']
    const found = await neighboursOf(project, { k: 100, threshold: 1 })
    expect(found.map(({ id }) => id)).toEqual(order)
    for (const { id, neighbours } of found) {
      expect(neighbours.map((one) => one.id)).toEqual(order.filter((other) => other !== id))
      for (const { similarity } of neighbours) expect(similarity).toBeCloseTo(1, 6)
    }
    expect((await idsOfNeighbours(project, { k: 2 }))['a']).toEqual(['B', 'z'])
  })

  it('go on behind a text_id, and have what is before it as neighbours', async () => {
    const project = await planar()
    const ids = Array.from({ length: 300 }, (_, at) => `t${String(at).padStart(3, '0')}`)
    await upload(project, ...ids.map((id, at) => embedding(id, [1, at / 1000])))
    const all = await neighboursOf(project, { k: 4 })
    for (const at of [0, 7, 150, 298]) {
      const rest = await neighboursOf(project, { k: 4, after: ids[at] })
      expect(rest).toEqual(all.slice(at + 1))
    }
    expect(await neighboursOf(project, { k: 4, after: 't15' })).toEqual(all.slice(150))
    expect(await neighboursOf(project, { after: 't299' })).toEqual([])
  })
})

describe('different', () => {
  /** One vector for all: who is a neighbour of whom is a matter of metadata alone. */
  async function alike(metadata: Record<string, object | undefined>) {
    const project = await planar()
    const items = Object.entries(metadata).map(([id, of]) =>
      embedding(id, [1, 1], of === undefined ? {} : { metadata: of }),
    )
    await upload(project, ...items)
    return project
  }

  it('leaves out what has the same value', async () => {
    const project = await alike({
      a: { ref: { book: 'Mark' } },
      b: { ref: { book: 'Mark' } },
      c: { ref: { book: 'Luke' } },
    })
    expect(await idsOfNeighbours(project, { different: 'ref.book' })).toEqual({
      a: ['c'],
      b: ['c'],
      c: ['a', 'b'],
    })
  })
})

describe('refuses', () => {
  it.each([
    [{ k: 0 }, 'k: must be between 1 and 100'],
    [{ k: 101 }, 'k: must be between 1 and 100'],
    [{ k: 1.5 }, 'k: must be between 1 and 100'],
    [{ k: '5' }, 'k: must be between 1 and 100'],
    [{ threshold: 1.1 }, 'threshold: must be between 0.0 and 1.0'],
    [{ threshold: -0.1 }, 'threshold: must be between 0.0 and 1.0'],
    [{ different: '' }, 'different must not be empty'],
    [{ different: 'a\0b' }, 'different: must not hold NUL characters or lone surrogates'],
    [{ filter: { year: { $near: 1 } } }, 'filter'],
    [{ thresold: 1 }, "Unknown field 'thresold': did you mean threshold?"],
    [{ top_k: 1 }, "Unknown field 'top_k': did you mean k?"],
    [{ limit: 1 }, "Unknown field 'limit': did you mean k?"],
    [[], 'expected object'],
  ])('%j', async (body, detail) => {
    const project = await planar()
    const { key } = project.owner
    const path = `${project.path('similars')}/neighbours`
    const answer = await call('POST', path, { key, raw: JSON.stringify(body) })
    expect(answer.body).toMatchObject({ status: 400, detail: expect.stringContaining(detail) })
  })
})
