import { maxPathKeys, printPath } from '../filters/metadata-path.ts'

/** What a field can hold, as JSON calls it. */
export const jsonTypes = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const
export type JsonType = (typeof jsonTypes)[number]

type Counts = Partial<Record<JsonType, number>>
type Scalar = string | number | boolean

export interface FieldSummary {
  /** In dot notation, as filters have it. */
  readonly path: string
  /** How many documents have it. */
  readonly documents: number
  readonly types: Counts
  readonly elementTypes: Counts
  readonly values: readonly { readonly value: Scalar; readonly count: number }[]
  /** Whether there are values that are not counted. */
  readonly hasMoreValues: boolean
}

export const mostFields = 200
export const mostValues = 20
export const longestValue = 200
/** What is kept while documents are looked at: of fields, of different values of one, and of all values. */
const limits = { fields: 2_000, valuesOfField: 1_000, values: 50_000, path: 1_000 }

interface Field {
  documents: number
  readonly types: Map<JsonType, number>
  readonly elementTypes: Map<JsonType, number>
  readonly values: Map<Scalar, number>
  hasMoreValues: boolean
}

const typeOf = (value: unknown): JsonType => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

const add = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** Counts the fields of documents and their values, in bounded memory however odd the documents are. */
export class Tally {
  readonly #fields = new Map<string, Field>()
  #values = 0
  #hasMoreFields = false

  add(metadata: object): void {
    this.#addObject(metadata, [])
  }

  /** The fields that most documents have, and whether there are others. */
  summary(): { fields: FieldSummary[]; hasMoreFields: boolean } {
    const byUse = [...this.#fields].sort(
      ([a, { documents: m }], [b, { documents: n }]) => n - m || (a < b ? -1 : 1),
    )
    const fields = byUse.slice(0, mostFields).map(([path, field]) => summaryOf(path, field))
    return { fields, hasMoreFields: this.#hasMoreFields || byUse.length > mostFields }
  }

  /** As deep as metadata are nested, this calls itself. */
  #addObject(object: object, keys: readonly string[]): void {
    for (const [key, value] of Object.entries(object)) {
      const inner = [...keys, key]
      const field = this.#fieldAt(inner)
      if (field === undefined) continue
      const type = typeOf(value)
      field.documents += 1
      add(field.types, type)
      if (type === 'array') this.#addElements(field, value)
      else if (type === 'object') this.#addObject(value, inner)
      else this.#addValue(field, value)
    }
  }

  /** A value counts once a document, also where an array has it twice. */
  #addElements(field: Field, elements: readonly unknown[]): void {
    for (const type of new Set(elements.map(typeOf))) add(field.elementTypes, type)
    for (const element of new Set(elements)) this.#addValue(field, element)
  }

  #addValue(field: Field, value: unknown): void {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return
    const isKnown = field.values.has(value)
    const isLong = typeof value === 'string' && value.length > longestValue
    const isFull = field.values.size >= limits.valuesOfField || this.#values >= limits.values
    if (isLong || (isFull && !isKnown)) {
      field.hasMoreValues = true
      return
    }
    if (!isKnown) this.#values += 1
    add(field.values, value)
  }

  #fieldAt(keys: readonly string[]): Field | undefined {
    const path = printPath(keys)
    const known = this.#fields.get(path)
    if (known !== undefined) return known
    // What no filter can name is no field either.
    const isNamed = path !== '' && keys.length <= maxPathKeys && path.length <= limits.path
    if (!isNamed || this.#fields.size >= limits.fields) {
      this.#hasMoreFields = true
      return undefined
    }
    const field = {
      documents: 0,
      types: new Map<JsonType, number>(),
      elementTypes: new Map<JsonType, number>(),
      values: new Map<Scalar, number>(),
      hasMoreValues: false,
    }
    this.#fields.set(path, field)
    return field
  }
}

const countsOf = (types: ReadonlyMap<JsonType, number>): Counts => Object.fromEntries(types)

function summaryOf(path: string, field: Field): FieldSummary {
  const values = [...field.values]
    .sort(([a, m], [b, n]) => n - m || (String(a) < String(b) ? -1 : 1))
    .map(([value, count]) => ({ value, count }))
  return {
    path,
    documents: field.documents,
    types: countsOf(field.types),
    elementTypes: countsOf(field.elementTypes),
    values: values.slice(0, mostValues),
    hasMoreValues: field.hasMoreValues || values.length > mostValues,
  }
}
