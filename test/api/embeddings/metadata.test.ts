import { describe, expect, it } from 'vitest'
import { itemText, read, sendText, textIdsIn } from '../../support/data/embeddings.ts'
import { newProject, type Project } from '../../support/factories.ts'

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
const nestedArrays = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

const sendMetadata = (project: Project, metadata: string) =>
  sendText(project, itemText('a', { metadata }))

/** JSON text of the metadata as the answer holds it. */
async function stored(project: Project): Promise<string> {
  const { body } = await read(project, `${project.path('embeddings')}/a`)
  return JSON.stringify(body.metadata)
}

/** An object whose JSON text has this many bytes. */
const ofBytes = (bytes: number, character = 'x') => {
  const room = bytes - '{"a":""}'.length
  return `{"a":"${character.repeat(room / Buffer.byteLength(character))}"}`
}

describe('metadata', () => {
  it.each([
    ...['{}', '{"":0}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":1}}'],
    ...['{"toString":"x"}', '{"toJSON":1}', '{"hasOwnProperty":null}', '{"length":3}'],
    ...['{"then":{"catch":[]}}', '{"a":{"__proto__":[{"__proto__":null}]}}'],
    ...['{"a.b":{"c/d":"\\u007f\\u2028\\\\\\""}}', '{"😀":"ﬁ é"}'],
    ...['{"n":[0,-1.5,1e+300,5e-324,9007199254740991]}', '{"b":[true,false,null,"",[],{}]}'],
  ])('%s comes back the same', async (metadata) => {
    const project = await newProject()
    expect((await sendMetadata(project, metadata)).status).toBe(201)
    expect(await stored(project)).toBe(JSON.stringify(JSON.parse(metadata)))
  })

  it.each([
    ['64 objects', nested(64)],
    ['64 arrays and objects', nestedArrays(64)],
  ])('may be %s deep', async (_, metadata) => {
    const project = await newProject()
    expect((await sendMetadata(project, metadata)).status).toBe(201)
    expect(await stored(project)).toBe(metadata)
  })

  it.each([
    ['65 objects', nested(65)],
    ['65 arrays and objects', nestedArrays(65)],
    ['100,000 objects', nested(100_000)],
    ['100,000 arrays', nestedArrays(100_000)],
  ])('may not be %s deep', async (_, metadata) => {
    const project = await newProject()
    const answer = await sendMetadata(project, metadata)
    const detail = "embeddings[0].metadata: must be nested at most 64 levels deep (text_id 'a')"
    expect(answer).toMatchObject({ status: 400, body: { detail } })
    expect(await textIdsIn(project)).toEqual([])
  })

  it.each([
    ['ASCII', 'x'],
    ['two-byte', 'é'],
  ])('may have 256 KiB of %s characters, and not a byte more', async (_, character) => {
    const project = await newProject()
    const limit = 256 * 1024
    const larger = ofBytes(limit + 2, character)
    const detail = "embeddings[0].metadata: must have at most 262144 bytes (text_id 'a')"
    expect(await sendMetadata(project, larger)).toMatchObject({ status: 400, body: { detail } })
    expect((await sendMetadata(project, ofBytes(limit + 1))).status).toBe(400)
    expect((await sendMetadata(project, ofBytes(limit, character))).status).toBe(201)
  })

  it('of values that would fit into no 256 KiB are not parsed', async () => {
    const project = await newProject()
    for (const metadata of [`{"a":[${'0,'.repeat(1e6)}0]}`, `{"a":[${'[],'.repeat(9e5)}0]}`]) {
      expect((await sendMetadata(project, metadata)).body.detail).toMatch(/may hold 200000 values/)
    }
  })

  it.each([...['[]', '[{}]', '"{}"', '1', 'true', 'false', '0', '""']])(
    'may not be %s',
    async (metadata) => {
      const project = await newProject()
      const detail = "embeddings[0].metadata: must be a JSON object (text_id 'a')"
      expect(await sendMetadata(project, metadata)).toMatchObject({ status: 400, body: { detail } })
    },
  )

  it.each([
    ['a NUL in a key', '{"a\\u0000":1}'],
    ['a NUL in a text', '{"a":["\\u0000"]}'],
    ['a lone surrogate in a key', '{"a":{"\\ud800":1}}'],
    ['a lone surrogate in a text', '{"a":"\\udc00"}'],
    ['a number that float64 cannot hold', '{"a":1e400}'],
    ['such a negative number in an array', '{"a":{"b":[1,-1e400]}}'],
  ])('may not hold %s', async (_, metadata) => {
    const project = await newProject()
    const answer = await sendMetadata(project, metadata)
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatch(
      /^embeddings\[0\]\.metadata: must not hold .*\(text_id 'a'\)$/,
    )
    expect(await textIdsIn(project)).toEqual([])
  })
})
