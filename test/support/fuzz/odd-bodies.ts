import type { OpenApiDocument } from '../../../src/service/docs/document.ts'
import { readsByPost } from '../openapi/document.ts'
import { lookUp, placeOf } from '../openapi/document-schemas.ts'
import { isTree, sendBy, withText } from './bodies.ts'
import type { Draft } from './drafts.ts'
import { oddValues } from './json-values.ts'
import { type Frame, noJson, oddLines, oddTexts } from './texts.ts'
import { type Transport, transports } from './transports.ts'

interface OddBody {
  readonly name: string
  readonly plain: () => Buffer<ArrayBuffer>
  readonly contentType?: string
  readonly transport: Transport
  /** Whether no operation may take it. */
  readonly isWrong: boolean
}

const linesType = 'application/x-ndjson'
const fileType = 'application/vnd.semblance+ndjson'
const asItIs: Transport = { headers: {}, encode: (plain) => plain }

/** Enough for thousands of small values, and for levels that a recursive function does not survive. */
const bytes = 16_000

/**
 * Requests that are sound but for an odd body: as a whole, in place of each member, beside them, and sent in every way; each
 * with a key and without. One of so many kinds is tried: others for each operation, so that all have their turn somewhere.
 */
export function* requestsWithOddBodies(
  document: OpenApiDocument,
  sound: () => Draft,
  divisor: number,
  turn: number,
): Generator<Draft> {
  const draft = sound()
  const types = Object.keys(
    Object(lookUp(document, `${placeOf(draft.operation)}/requestBody/content`)),
  )
  const all = types.flatMap((type) =>
    type === 'application/json' ? jsonBodies(draft) : lines(draft, type),
  )
  if (types.length > 0) all.push(...inTransports(draft))
  for (const odd of all.filter((_, index) => (index + turn) % divisor === 0)) {
    yield withBody(sound(), odd)
    yield withBody(withoutKey(sound()), odd)
  }
}

function withBody(draft: Draft, { name, plain, contentType, transport, isWrong }: OddBody): Draft {
  const headers = {
    ...draft.headers,
    ...(contentType !== undefined && { 'Content-Type': contentType }),
  }
  const made = { ...draft, headers, body: plain(), oddities: [name], isWrong }
  sendBy(made, transport)
  return made
}

/** To the project that everybody may read, where the operation is about one. */
function withoutKey({ headers: { Authorization: _, ...headers }, ...draft }: Draft): Draft {
  const isOpen = 'project' in draft.segments && readsByPost.includes(draft.operation.id)
  return { ...draft, headers, segments: { ...draft.segments, ...(isOpen && { project: 'open' }) } }
}

function jsonBodies({ body, fields }: Draft): OddBody[] {
  const example: unknown = JSON.parse(body?.toString() ?? '')
  const names = [...fields.map(([name]) => name), 'anything']
  const values = Object.entries(oddValues)
  return [
    ...Object.entries(noJson).map(([name, make]) => odd(name, () => make(bytes), true)),
    ...Object.entries({ ...oddTexts, ...oddValues }).map(([name, make]) =>
      odd(name, () => make(bytes)),
    ),
    ...placesOf(example, names).flatMap((path) =>
      values.map(([name, make]) =>
        odd(`${name} in ${path.join('.')}`, () => withText(example, path, make(bytes))),
      ),
    ),
    // What is a text of JSON itself.
    ...(names.includes('metadataScheme')
      ? values.map(([name, make]) =>
          odd(`${name} as a text`, () =>
            withText(example, ['metadataScheme'], JSON.stringify(make(bytes))),
          ),
        )
      : []),
  ]
}

/** Members of the outermost object, and of the first object of a list in it. */
function placesOf(example: unknown, names: readonly string[]): (string | number)[][] {
  const lists = Object.entries(Object(example)).filter(
    ([, list]) => Array.isArray(list) && isTree(list[0]),
  )
  return [[], ...lists.map(([list]) => [list, 0])].flatMap((path) =>
    names.map((name) => [...path, name]),
  )
}

const frames: Readonly<Record<string, Frame>> = {
  [linesType]: {
    before:
      '{"text_id":"t","instance_handle":"my-model","vector":[1,2,3],"vector_dim":3,"metadata":',
    after: '}',
  },
  [fileType]: { before: '{"semblance":1,"embeddings":1,"x":', after: '}' },
}

function lines({ body }: Draft, contentType: string): OddBody[] {
  const frame = frames[contentType]
  if (frame === undefined) throw new Error(`there are no lines of ${contentType}`)
  // Behind the first line of a file, of which all else would be one that is not its beginning.
  const beginning = body?.toString().split('\n', 1)[0] ?? ''
  return Object.entries(oddLines).flatMap(([name, make]) => [
    { ...odd(name, () => make(bytes, frame)), contentType },
    ...(contentType === fileType
      ? [{ ...odd(`${name} in a file`, () => `${beginning}\n${make(bytes, frame)}`), contentType }]
      : Object.entries(noJson).map(([name, make]) => ({
          ...odd(`${name} as lines`, () => make(bytes)),
          contentType,
        }))),
  ])
}

function inTransports({ body }: Draft): OddBody[] {
  const texts = {
    'a sound body': () => body ?? Buffer.of(),
    'empty objects': () => `{"x":${oddValues['empty objects']?.(bytes)}}`,
    'a body of nothing': () => '',
  }
  return Object.entries(transports).flatMap(([how, transport]) =>
    Object.entries(texts).map(([name, make]) => ({
      ...odd(`${name}, ${how}`, make, transport.damages),
      transport,
    })),
  )
}

const odd = (name: string, make: () => string | Buffer, isWrong = false): OddBody => ({
  name,
  plain: () => Buffer.from(make()),
  transport: asItIs,
  isWrong,
})
