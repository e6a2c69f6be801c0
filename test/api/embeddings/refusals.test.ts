import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { send, textIdsIn } from '../../support/data/embeddings.ts'
import { refusal } from '../../support/data/refusals.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

const metadataScheme = JSON.stringify({
  properties: { author: { type: 'string' }, year: { type: 'integer' } },
  required: ['author'],
})
const metadata = { author: 'Luke' }
const good = (textId: string) => embedding(textId, [1, 2, 3], { metadata })

const bad = (fields: object) => ({ ...good('bad'), ...fields })
const mismatch = (declared: number) =>
  `dimension validation failed: vector dimension mismatch: embedding declares ${declared} dimensions but LLM service 'model' expects 3 dimensions (embeddings[1], text_id 'bad')`
const otherInstance =
  "instance_handle is 'other', but the project's LLM service instance is 'model' (embeddings[1], text_id 'bad')"
const otherLength = (length: number) =>
  `vector length (${length}) does not match declared vector_dim (3) (embeddings[1], text_id 'bad')`
const required = (field: string) => `embeddings[1].${field} is required (text_id 'bad')`
/** What is said of a field first. */
const at = (field: string) => expect.stringMatching(`^embeddings\\[1\\]${field}: `)

const said = (of: string) => expect.stringMatching(`^vector: .*${of}.*embeddings\\[1\\]`)

/** An item that is wrong in one way, and what the answer says about it as the second of a batch. */
type Wrong = [what: string, item: unknown, detail: unknown, status?: number]
const wrong: Wrong[] = [
  ['no object', 5, at('')],
  ['null', null, at('')],
  ['an array', [], at('')],
  [
    'without vector',
    bad({ vector: undefined }),
    expect.stringMatching(/vector is required, .*bad/),
  ],
  ['without text_id', bad({ text_id: undefined }), 'embeddings[1].text_id is required'],
  ['with an empty text_id', good(''), at('\\.text_id')],
  ...['a\0', '\ud83d', '\ude00\ud83d'].map(
    (text_id): Wrong => [
      `with ${JSON.stringify(text_id)} as text_id`,
      bad({ text_id }),
      at('\\.text_id'),
    ],
  ),
  ['with a number as text_id', bad({ text_id: 7 }), at('\\.text_id')],
  ['with null as vector', bad({ vector: null }), at('\\.vector')],
  ['with a string as vector_dim', bad({ vector_dim: '3' }), at('\\.vector_dim')],
  ['with a fraction as vector_dim', bad({ vector_dim: 2.5 }), at('\\.vector_dim')],
  ['of another instance', bad({ instance_handle: 'other' }), otherInstance],
  ['of other dimensions', bad({ vector: [1, 2], vector_dim: 2 }), mismatch(2)],
  ['that declares other dimensions than all else', bad({ vector_dim: 4 }), mismatch(4)],
  ['shorter than declared', bad({ vector: [1, 2] }), otherLength(2)],
  ['with an empty vector', bad({ vector: [] }), otherLength(0)],
  ...['a\0b', '\ud800', '\udc00x', 1, [], {}, true].map(
    (text): Wrong => [`with ${JSON.stringify(text)} as text`, bad({ text }), at('\\.text')],
  ),
  ...['?', 'AACA-wAAgD8AAIA/', 'AACAPwAAgD8AAIA'].map(
    (vector): Wrong => [`with the base64 ${vector}`, bad({ vector }), at('\\.vector')],
  ),
  ['with base64 of another length', bad({ vector: 'AACAPw==' }), otherLength(1)],
  ['with base64 of nothing', bad({ vector: '' }), otherLength(0)],
  ['with base64 of no direction', bad({ vector: 'AAAAAAAAAAAAAAAA' }), said('has no direction')],
  [
    'with base64 of what is not finite',
    bad({ vector: 'AADAfwAAgD8AAIA/' }),
    said('is not a finite float32'),
  ],
  ['without vector_dim', bad({ vector_dim: undefined }), required('vector_dim')],
  ['without instance_handle', bad({ instance_handle: undefined }), required('instance_handle')],
  ['with null as instance_handle', bad({ instance_handle: null }), at('\\.instance_handle')],
  [
    'that violates the metadataScheme',
    bad({ metadata: { year: 'long ago' } }),
    expect.stringMatching(
      /^metadata validation failed for text_id 'bad': .*embeddings\[1\].*\n.*(author is required|year).*\n.*(author is required|year)/,
    ),
  ],
  [
    'without the metadata that the metadataScheme requires',
    bad({ metadata: undefined }),
    expect.stringMatching(
      /^metadata validation failed for text_id 'bad': .*\n.*author is required/,
    ),
  ],
  ['that is there already', good('old'), expect.stringMatching(/^Embedding 'old' already/), 409],
  [
    'that repeats a text_id of the batch',
    good('first'),
    "Embedding 'first' is twice in this batch (embeddings[0] and embeddings[1])",
    409,
  ],
]

describe('a batch with an item', () => {
  it.for(wrong)('%s is refused whole', async ([, item, detail, status = 400]) => {
    const project = await newProject({ metadataScheme })
    await upload(project, good('old'))
    const title = status === 409 ? 'Conflict' : 'Bad Request'
    const answer = await send(project, good('first'), item, good('last'))
    expect(answer).toMatchObject({ status, body: { title, status, detail } })
    expect(await textIdsIn(project)).toEqual(['old'])
  })

  it('that is there already names the project and where the item is', async () => {
    const project = await newProject()
    await upload(project, embedding('old', [1, 2, 3]))
    const { body } = await send(project, embedding('old', [1, 2, 3]))
    const place = `${project.owner.handle}/texts`
    expect(body.detail).toBe(`Embedding 'old' already exists in project '${place}' (embeddings[0])`)
  })

  it('that is wrong names the first of several', async () => {
    const project = await newProject()
    const items = [embedding('a', [1, 2, 3]), embedding('b', [1]), embedding('c', [1, 2, 3, 4])]
    const { body } = await send(project, ...items)
    expect(body.detail).toMatch(/declares 1 dimensions .* \(embeddings\[1\], text_id 'b'\)$/)
  })
})

describe('a text', () => {
  const most = 1024 * 1024

  it('may have a mebibyte of UTF-8', async () => {
    const project = await newProject()
    const texts = ['x'.repeat(most), `${'€'.repeat(most / 3)}x`]
    for (const [index, text] of texts.entries()) {
      const answer = await send(project, embedding(`t${index}`, [1, 2, 3], { text }))
      expect(answer.status).toBe(201)
    }
  })

  it.each([
    ['a byte more', 'x'.repeat(most + 1)],
    ['fewer letters and more bytes', '€'.repeat(most / 2)],
  ])('of %s is refused by the name of its item', async (_, text) => {
    const project = await newProject()
    const answer = await send(project, good('a'), embedding('long', [1, 2, 3], { text }))
    expect(answer).toMatchObject({
      status: 400,
      body: {
        detail: `embeddings[1].text: must have at most ${most} bytes in UTF-8 (text_id 'long')`,
      },
    })
    expect(await textIdsIn(project)).toEqual([])
  })
})

it('a batch with several faults is refused for shape, then dimensions, then metadata, then conflicts', async () => {
  const project = await newProject({ metadataScheme })
  await upload(project, good('old'))
  const conflict = good('old')
  const metadataFault = embedding('m', [1, 2, 3])
  const dimensions = embedding('d', [1, 2], { metadata })
  const shape = { ...good('s'), vector: 'none' }
  const detailOf = async (...items: unknown[]) => (await send(project, ...items)).body.detail
  const all = [conflict, metadataFault, dimensions, shape]
  expect(await detailOf(...all)).toMatch(/^embeddings\[3\]\.vector/)
  expect(await detailOf(...all.slice(0, 3))).toMatch(/^dimension validation failed/)
  expect(await detailOf(...all.slice(0, 2))).toMatch(/^metadata validation failed/)
  expect(await detailOf(conflict)).toMatch(/already exists/)
  expect(await textIdsIn(project)).toEqual(['old'])
})

it.each(['{}', '0'])('a body of tens of thousands of %s names the first alone', async (item) => {
  const project = await newProject()
  const { key } = project.owner
  const raw = `{"embeddings":[${`${item},`.repeat(40_000)}${item}]}`
  const answer = await call('POST', project.path('embeddings'), { key, raw })
  expect(answer).toMatchObject(refusal(400, /^embeddings\[0\]/))
  expect(answer.body.detail).not.toContain('[1]')
})
