import type { OpenApiDocument } from '../../../src/service/docs/document.ts'
import { lookUp, member } from '../openapi/document-schemas.ts'
import type { OddValues } from './values.ts'
import { namesFor } from './world.ts'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A value of the form that the schema at a place of the document asks for. */
export function sampleOf(
  document: OpenApiDocument,
  at: string,
  name: string,
  odd: OddValues,
): unknown {
  const schema = lookUp(document, at)
  const reference = member(schema, '$ref')
  if (typeof reference === 'string') return sampleOf(document, reference.slice(1), name, odd)
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const parts = listOf(member(schema, keyword))
    if (parts.length === 0) continue
    return sampleOf(document, `${at}/${keyword}/${odd.below(parts.length)}`, name, odd)
  }
  const choices = listOf(member(schema, 'enum'))
  if (choices.length > 0) return odd.pick(choices)
  switch ([member(schema, 'type')].flat()[0]) {
    case 'object': {
      const properties = Object.keys(Object(member(schema, 'properties')))
      return Object.fromEntries(
        properties.map((key) => [key, sampleOf(document, `${at}/properties/${key}`, key, odd)]),
      )
    }
    case 'array':
      return Array.from({ length: odd.below(4) }, () =>
        sampleOf(document, `${at}/items`, name, odd),
      )
    case 'boolean':
      return odd.chance(50)
    case 'integer':
    case 'number':
      return 1 + odd.below(4)
    default:
      return odd.pick(namesFor[name] ?? ['{"required":["a"]}', 'https://a.example/', odd.string()])
  }
}
