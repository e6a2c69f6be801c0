import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from '../../../src/service/docs/document.ts'
import type { DocumentedOperation } from './document.ts'

/** Something in the document, and the JSON pointer to it. */
export interface Place {
  readonly at: string
  readonly value: unknown
}

/** Their members are named by us, and are no keywords. */
const maps = new Set(['paths', 'responses', 'content', 'headers', 'schemas', 'properties'])
/** Their contents are data. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const'])

const below = (at: string, key: string) =>
  `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
const membersOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
export const member = (value: unknown, key: string): unknown =>
  membersOf(value).find(([name]) => name === key)?.[1]

/** Every object and array of the document but examples and the like. */
export function* placesIn(value: unknown, at = '', isMap = false): Generator<Place> {
  if (typeof value !== 'object' || value === null) return
  if (!isMap) yield { at, value }
  for (const [key, child] of membersOf(value)) {
    if (!isMap && data.has(key)) continue
    yield* placesIn(child, below(at, key), !isMap && maps.has(key))
  }
}

/** What a JSON pointer leads to, or undefined. */
export const lookUp = (document: OpenApiDocument, at: string): unknown =>
  at
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(member, document)

/** The JSON pointer to an operation. */
export const placeOf = ({ template, method }: DocumentedOperation) =>
  `${below('/paths', template)}/${method.toLowerCase()}`

export interface Example extends Place {
  /** The pointer to the schema that it must satisfy. */
  readonly schemaAt: string
}

/** Every example, of bodies, parameters and headers as well as of schemas. */
export function examplesIn(document: OpenApiDocument): Example[] {
  return [...placesIn(document)].flatMap(({ at, value }) => {
    const ofSchema = member(value, 'schema') === undefined
    const examples = membersOf(member(value, 'examples'))
    const found: unknown[] = [
      member(value, 'example'),
      ...examples.map(([, example]) => (ofSchema ? example : member(example, 'value'))),
    ]
    const schemaAt = ofSchema ? at : `${at}/schema`
    return found
      .filter((example) => example !== undefined)
      .map((example) => ({ at, value: example, schemaAt }))
  })
}

/** A schema below another one, and the name of the property that it is for, or of the one around. */
export interface Inner {
  readonly name: string
  readonly at: string
}

/** The schemas below one, through references, of properties, items and alternatives. */
export function innerOf(document: OpenApiDocument, at: string, name = ''): Inner[] {
  const schema = lookUp(document, at)
  const reference = member(schema, '$ref')
  if (typeof reference === 'string') return innerOf(document, reference.slice(1), name)
  const properties = membersOf(member(schema, 'properties')).flatMap(([property]) => {
    const inner = below(`${at}/properties`, property)
    return [{ name: property, at: inner }, ...innerOf(document, inner, property)]
  })
  const items = member(schema, 'items') === undefined ? [] : [{ name, at: `${at}/items` }]
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
    membersOf(member(schema, keyword)).map(([index]) => `${at}/${keyword}/${index}`),
  )
  const deeper = [...items.map((item) => item.at), ...parts]
  return [...properties, ...items, ...deeper.flatMap((inner) => innerOf(document, inner, name))]
}

/** Tells what is wrong with values by the schemas of the document, and with the schemas. */
export function createValidator(document: OpenApiDocument) {
  const formats = {
    uri: (text: string) => URL.canParse(text),
    'date-time': (text: string) => new Date(text).toJSON() === text,
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, formats })
  ajv.addSchema(document, 'document')
  const compile = (at: string) => ajv.compile({ $ref: `document#${encodeURI(at)}` })
  return {
    problems(schemaAt: string, value: unknown) {
      const validate = compile(schemaAt)
      return validate(value) ? [] : validate.errors
    },
    accepts: (schemaAt: string, value: unknown) => compile(schemaAt)(value),
    schemaProblems: (schema: object) => (ajv.validateSchema(schema) === true ? [] : ajv.errors),
  }
}
