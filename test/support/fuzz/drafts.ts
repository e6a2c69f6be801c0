import type { OpenApiDocument } from '../../../src/service/docs/document.ts'
import { adminKey } from '../app.ts'
import { type DocumentedOperation, parametersOf } from '../openapi/document.ts'
import { innerOf, lookUp, member, placeOf } from '../openapi/document-schemas.ts'
import { sampleOf } from './samples.ts'
import type { OddValues } from './values.ts'
import { type FuzzWorld, namesFor } from './world.ts'

/** A request, on its way from a valid to an odd one. */
export interface Draft {
  readonly operation: DocumentedOperation
  /** The path's parameters as they stand in the URL. */
  readonly segments: Record<string, string>
  /** Names and values as they stand in the URL. */
  query: (readonly [name: string, value: string])[]
  readonly headers: Record<string, string>
  /** The body before `encode`; undefined where the operation takes none. */
  body: Buffer<ArrayBuffer> | undefined
  /** Makes what is sent from the body. */
  encode: (plain: Buffer<ArrayBuffer>) => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** The members that the body can have, with JSON texts of the form that they ask for. */
  readonly fields: readonly (readonly [name: string, sample: string])[]
  /** What was done to it. */
  readonly oddities: string[]
  /** Whether no operation may take the body, where that alone is odd. */
  readonly isWrong?: boolean
}

/** Makes a request by the example of the document, with names of the world. */
export function validDraft(
  document: OpenApiDocument,
  { keys: { alice, bob, carol } }: FuzzWorld,
  operation: DocumentedOperation,
  odd: OddValues,
): Draft {
  const content = `${placeOf(operation)}/requestBody/content/application~1json`
  const example = lookUp(document, `${content}/example`)
  const file = lookUp(
    document,
    content.replace(/[^/]*$/, 'application~1vnd.semblance+ndjson/example'),
  )
  const parameters = parametersOf(operation)
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  // All or none, mostly: some are valid together only.
  const share = odd.pick([0, 0, 90])
  // Some operations need it or another one.
  const textId = odd.pick([0, 100])
  const inQuery = parameters.filter(
    ({ in: place, name, required }) =>
      place === 'query' && (required || odd.chance(name === 'text_id' ? textId : share)),
  )
  const frequent = odd.pick([adminKey, adminKey, alice])
  const key = odd.chance(85) ? frequent : odd.pick([bob, carol, 'a-key-that-nobody-has', ''])
  const fields = new Map(innerOf(document, `${content}/schema`).map(({ name, at }) => [name, at]))
  return {
    operation,
    segments: Object.fromEntries(
      inPath.map(({ name }) => [name, encodeURIComponent(pathName(operation, name, odd) ?? 'x')]),
    ),
    query: inQuery.map(({ name, schema }) => {
      const value = knownName(name, odd, 75) ?? valueOfType(member(schema, 'type'), odd)
      return [name, encodeURIComponent(value)]
    }),
    headers: key === '' ? {} : { Authorization: `Bearer ${key}` },
    body: bodyOf(example === undefined ? undefined : withNames(example, odd), file),
    encode: (plain) => plain,
    fields: [...fields].map(([name, at]) => [
      name,
      JSON.stringify(sampleOf(document, at, name, odd)) ?? '',
    ]),
    oddities: [],
  }
}

function bodyOf(value: unknown, file: unknown): Buffer<ArrayBuffer> | undefined {
  if (typeof file === 'string') return Buffer.from(file)
  return value === undefined ? undefined : Buffer.from(JSON.stringify(value))
}

/** An import makes a project that is not there. */
const pathName = ({ id }: DocumentedOperation, name: string, odd: OddValues) =>
  id === 'importProject' && name === 'project' && odd.chance(75)
    ? 'new-project'
    : knownName(name, odd, 75)

function knownName(field: string, odd: OddValues, percent = 50): string | undefined {
  const names = namesFor[field]
  return names && (odd.chance(percent) ? names[0] : odd.pick(names.slice(1)))
}

function valueOfType(type: unknown, odd: OddValues): string {
  if (type === 'integer') return String(odd.below(50))
  if (type === 'number') return String(odd.below(100) / 100)
  if (type === 'boolean') return odd.pick(['true', 'false'])
  // Any text will do.
  return odd.chance(50) ? 'ref' : odd.string().toWellFormed()
}

/** The example with some of its names replaced by others of the world, or left out. */
function withNames(example: unknown, odd: OddValues): unknown {
  if (Array.isArray(example)) return example.map((item) => withNames(item, odd))
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(
    Object.entries(example).flatMap(([key, value]) => {
      if (namesFor[key] === undefined || odd.chance(25)) return [[key, withNames(value, odd)]]
      // A name that is as in the path, or not given.
      return odd.chance(10) ? [] : [[key, knownName(key, odd)]]
    }),
  )
}
