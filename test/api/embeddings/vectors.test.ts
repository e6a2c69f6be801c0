import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { call } from '../../support/client.ts'
import { itemText, read, send, sendText, textIdsIn } from '../../support/data/embeddings.ts'
import { refusal } from '../../support/data/refusals.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

async function stored(project: Project, textId: string): Promise<number[]> {
  const { status, body } = await read(project, `${project.path('embeddings')}/${textId}`)
  expect(status).toBe(200)
  return body.vector
}

/** float32 numbers of every size whose square float32 can hold, from random bits. */
function randomFloats(count: number): number[] {
  const random = randomNumbers(7)
  const bits = new Uint32Array(1)
  const [floats, found] = [new Float32Array(bits.buffer), [] as number[]]
  while (found.length < count) {
    bits[0] = random() * 2 ** 32
    const [value = 0] = floats
    if (Math.abs(value) < 1e17) found.push(value)
  }
  return found
}

/** Significant digits; the float64 that a float32 equals mostly needs 16 and more. */
const digits = (value: number) => value.toExponential().replace(/e.*|\D/g, '').length

describe('a vector', () => {
  it('comes back as the same float32 numbers, in at most nine digits', async () => {
    const project = await newProject({}, { dimensions: 2_000 })
    const sent = randomFloats(2_000)
    await upload(project, embedding('a', sent))
    const vector = await stored(project, 'a')
    expect(vector.map(Math.fround)).toEqual(sent)
    expect(Math.max(...vector.map(digits))).toBe(9)
  })

  it('given in float64 is rounded to float32', async () => {
    const project = await newProject({}, { dimensions: 4 })
    await upload(project, embedding('a', [0.1, 0.123456789, 16_777_217, 1 / 3]))
    expect(await stored(project, 'a')).toEqual([0.1, 0.12345679, 16_777_216, 0.33333334])
  })

  it('may hold the smallest numbers and zeros of either sign', async () => {
    const project = await newProject({}, { dimensions: 5 })
    const numbers = '[1, 1.4e-45, -1e-40, -0.0, 1e-60]'
    const item = itemText('a', { vector: numbers, vector_dim: '5' })
    expect((await sendText(project, item)).status).toBe(201)
    const vector = await stored(project, 'a')
    expect(vector.map((value) => Math.fround(value) + 0)).toEqual(
      [1, 1.4e-45, -1e-40, 0, 0].map(Math.fround),
    )
  })

  it('may have the greatest and smallest norm that has a direction', async () => {
    const project = await newProject()
    await upload(project, embedding('long', [1.8e19, 0, 0]), embedding('short', [1.1e-19, 0, 0]))
    expect((await stored(project, 'long'))[0]).toBe(1.8e19)
    expect((await stored(project, 'short'))[0]).toBe(1.1e-19)
    const path = `${project.path('similars')}/long`
    const { body } = await read(project, path)
    expect(body.results).toEqual([{ id: 'short', similarity: 1 }])
  })

  it.each([1, 16_000])('may have %i dimensions', async (dimensions) => {
    const project = await newProject({}, { dimensions })
    const sent = Array.from({ length: dimensions }, (_, index) => index + 1)
    await upload(project, embedding('a', sent))
    expect(await stored(project, 'a')).toEqual(sent)
  })
})

const notNumbers = ['"1"', 'null', '[1]', '{}', 'true']
const notFinite = ['1e39', '-1e39', '1e400', '-1e400']
const noDirection: [vector: string, why: RegExp][] = [
  ['[0,0,0]', /no direction/],
  ['[0.0,-0.0,0]', /no direction/],
  ['[1e-46,0,0]', /no direction/],
  ['[1e-20,1e-20,0]', /too short/],
  ['[1e-40,1e-40,0]', /too short/],
  ['[1.5e19,1.5e19,0]', /too long/],
  ['[3.4e38,0,0]', /too long/],
  ['[1e20,1,1]', /too long/],
]

const refused: [vector: string, why: RegExp][] = [
  ...notNumbers.map((value): [string, RegExp] => [`[1,${value},3]`, /an array of numbers/]),
  ...['null', '"[1,2,3]"', '7', '{"0":1}'].map((value): [string, RegExp] => [
    value,
    /an array of numbers/,
  ]),
  ...notFinite.map((value): [string, RegExp] => [`[1,${value},3]`, /element 1 is not a finite/]),
  ...noDirection,
]

describe('the vector', () => {
  it.each(refused)('%s is refused at upload', async (vector, why) => {
    const project = await newProject()
    const answer = await sendText(project, itemText('good', {}), itemText('bad', { vector }))
    expect(answer).toMatchObject(refusal(400, why))
    expect(answer.body.detail).toContain('embeddings[1]')
    expect(answer.body.detail).toContain("text_id 'bad'")
    expect(await textIdsIn(project)).toEqual([])
  })

  it.each(refused)('%s is refused in a search', async (vector, why) => {
    const project = await newProject()
    const raw = `{"vector":${vector}}`
    const answer = await call('POST', project.path('similars'), { key: project.owner.key, raw })
    expect(answer).toMatchObject(refusal(400, /^vector/))
    expect(answer.body.detail).toMatch(why)
  })

  it('of a million elements is refused by its length', async () => {
    const project = await newProject()
    const vector = Array.from({ length: 1_000_000 }, () => 1)
    expect(await send(project, { ...embedding('a', vector), vector_dim: 3 })).toMatchObject(
      refusal(400, /^vector length \(1000000\) does not match declared/),
    )
  })
})
