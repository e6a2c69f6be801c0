import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { call } from '../../support/client.ts'
import { itemText, read, textIdsIn } from '../../support/data/embeddings.ts'
import { refusal } from '../../support/data/refusals.ts'
import { newProject, type Project } from '../../support/factories.ts'

const dimensions = 1_000
const padding = `"${'x'.repeat(1_100_000)}"`

const bigProject = () => newProject({}, { dimensions })

/** float64 numbers as programs print them. */
function randomVector(seed: number): string {
  const random = randomNumbers(seed)
  const shapes = [
    (value: number) => String(value),
    (value: number) => value.toPrecision(9),
    (value: number) => value.toExponential(),
    (value: number) => String(Math.round(value * 1e6) / 1e6),
  ]
  const numbers = Array.from({ length: dimensions }, (_, index) =>
    shapes[index % shapes.length]?.(random() - 0.5),
  )
  return `[${numbers.join(', ')}]`
}

const item = (textId: string, fields: Record<string, string> = {}) =>
  itemText(textId, { vector: randomVector(1), vector_dim: String(dimensions), ...fields })

/** The same items in a body of less or more than a mebibyte. */
const bodies = (...items: string[]) => ({
  small: `{"embeddings":[${items}]}`,
  large: `{"padding":${padding},"embeddings":[${items}]}`,
})

const post = (project: Project, raw: string | Uint8Array, headers = {}) =>
  call('POST', project.path('embeddings'), {
    key: project.owner.key,
    body: { embeddings: [] },
    raw,
    headers,
  })

async function storedVectors(project: Project): Promise<unknown[]> {
  const { body } = await read(project, `${project.path('embeddings')}?limit=200`)
  return body.embeddings.map(({ vector }: { vector: unknown }) => vector)
}

describe('a body above a mebibyte', () => {
  it('is stored as a smaller one is', async () => {
    const vectors = Array.from({ length: 20 }, (_, index) => randomVector(index))
    const items = vectors.map((vector, index) =>
      item(`t-${String(index).padStart(2, '0')}`, { vector, metadata: `{"n":${index}}` }),
    )
    const { small, large } = bodies(...items)
    const [first, second] = [await bigProject(), await bigProject()]
    expect((await post(first, small)).status).toBe(201)
    expect((await post(second, large)).status).toBe(201)
    const numbers = vectors.map((vector): number[] => JSON.parse(vector))
    const stored = await storedVectors(second)
    expect(stored).toEqual(await storedVectors(first))
    expect(stored.map((vector) => Float32Array.from(Object(vector)))).toEqual(
      numbers.map((vector) => Float32Array.from(vector)),
    )
  })

  it('may be compressed', async () => {
    const project = await bigProject()
    const raw = gzipSync(bodies(item('a')).large)
    expect((await post(project, raw, { 'Content-Encoding': 'gzip' })).status).toBe(201)
    expect(await textIdsIn(project)).toEqual(['a'])
  })

  // What differs is the thread that finds the items; what is said of them are errors of both sides.
  const numbers = (last: string) => `[${'0.5,'.repeat(dimensions - 1)}${last}]`
  it.each([
    ['a string as an element', { vector: numbers('"1"') }],
    ['zeros alone', { vector: `[${Array(dimensions).fill('-0.0')}]` }],
    ['a vector where it does not belong', { text_id: `{"vector":${numbers('1')}}` }],
    ['an element that is no JSON', { vector: numbers('01') }],
    ['no comma', { metadata: '{} 1' }],
  ])('with %s is refused as a smaller one is', async (_, fields) => {
    const project = await bigProject()
    const { small, large } = bodies(item('good'), item('bad', fields))
    const [expected, answer] = [await post(project, small), await post(project, large)]
    const ahead = large.length - small.length
    const detail = String(expected.body.detail).replace(/(?<=, byte )[\d,]+$/, (byte) =>
      (Number(byte.replaceAll(',', '')) + ahead).toLocaleString('en-US'),
    )
    expect(answer).toMatchObject({ status: 400, body: { ...expected.body, detail } })
    expect(await textIdsIn(project)).toEqual([])
  })

  it('that is cut off or not UTF-8 is refused', async () => {
    const project = await bigProject()
    const { large } = bodies(item('a'), item('b'))
    const bytes = Buffer.from(large)
    bytes[100] = 0xff
    for (const raw of [large.slice(0, -5), large.slice(0, -2_000), bytes]) {
      expect(await post(project, raw)).toMatchObject(refusal(400, /^The body is not valid JSON/))
    }
  })

  it('may come sixty-four times at once, when some are told to try again', async () => {
    const project = await bigProject()
    const names = Array.from({ length: 64 }, (_, index) => `t-${String(index).padStart(2, '0')}`)
    const answers = await Promise.all(names.map((name) => post(project, bodies(item(name)).large)))
    const stored = names.filter((_, index) => answers[index]?.status === 201)
    expect(stored.length).toBeGreaterThan(0)
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 201)) {
      expect({ status, title: body.title }).toEqual({ status: 503, title: 'Service Unavailable' })
      expect(headers.get('retry-after')).toBe('1')
    }
    expect(await textIdsIn(project)).toEqual(stored)
  })
})
