import { maxPathKeys, printPath } from '../filters/metadata-path.ts'

export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** A value that is listed. */
export type FieldValue = string | number | boolean

const maxFields = 200
const maxFieldValues = 20
/** Longest string that is listed, in characters. */
export const maxShownValue = 200
/**
 * Limits of what is kept: fields, different values of one field, all values, characters of a path.
 */
const limits = { fields: 2_000, valuesOfField: 1_000, values: 50_000, path: 1_000 }
/** How many keys and elements to look at: less than a second's work. */
const maxSampled = 2_000_000

/** The parent of fields: the metadata themselves, or a field. */
interface Level {
  readonly keys: readonly string[]
  readonly path: string
  readonly inner: Map<string, Field>
}

interface Field extends Level {
  documents: number
  readonly types: Map<JsonType, number>
  readonly values: Map<FieldValue, number>
  hasMoreValues: boolean
}

const typeOf = (value: unknown): JsonType => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

const add = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

/**
 * Counts the fields of documents and their values, in bounded memory, however odd the documents
 * are.
 */
export class FieldStatistics {
  readonly #top: Level = { keys: [], path: '', inner: new Map() }
  readonly #fields: Field[] = []
  #values = 0
  #lookedAt = 0
  #hasMoreFields = false

  /** Whether the documents had so much in them that no more should be added. */
  get isFull(): boolean {
    return this.#lookedAt >= maxSampled
  }

  add(metadata: object): void {
    this.#addObject(metadata, this.#top)
  }

  /**
   * The fields that most documents have, and whether there are more.
   * @param documents how many were looked at
   */
  summary(documents: number) {
    const byUse = this.#fields.toSorted(
      (a, b) => b.documents - a.documents || (a.path < b.path ? -1 : 1),
    )
    return {
      fields: byUse.slice(0, maxFields).map((field) => summaryOf(field, documents)),
      more_fields: this.#hasMoreFields || byUse.length > maxFields,
    }
  }

  /** Recurses as deep as the metadata are nested. */
  #addObject(object: object, level: Level): void {
    for (const [key, value] of Object.entries(object)) {
      this.#lookedAt += 1
      const field = level.inner.get(key) ?? this.#newField(level, key)
      if (field === undefined) continue
      const type = typeOf(value)
      field.documents += 1
      add(field.types, type)
      if (type === 'array') this.#addElements(field, value)
      else if (type === 'object') this.#addObject(value, field)
      else this.#addValue(field, value)
    }
  }

  /** A value counts once per document, even if an array has it twice. */
  #addElements(field: Field, elements: readonly unknown[]): void {
    this.#lookedAt += elements.length
    for (const element of new Set(elements)) this.#addValue(field, element)
  }

  #addValue(field: Field, value: unknown): void {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return
    const isKnown = field.values.has(value)
    const isLong = typeof value === 'string' && value.length > maxShownValue
    const isFull = field.values.size >= limits.valuesOfField || this.#values >= limits.values
    if (isLong || (isFull && !isKnown)) {
      field.hasMoreValues = true
      return
    }
    if (!isKnown) this.#values += 1
    add(field.values, value)
  }

  /** Once there are enough fields, this costs no more than a lookup. */
  #newField(level: Level, key: string): Field | undefined {
    const isRoom = this.#fields.length < limits.fields && level.keys.length < maxPathKeys
    const path =
      isRoom && level.path.length + key.length <= limits.path ? printPath([...level.keys, key]) : ''
    // A path that no filter can name does not count as a field.
    if (path === '' || path.length > limits.path) {
      this.#hasMoreFields = true
      return undefined
    }
    const field = {
      keys: [...level.keys, key],
      path,
      inner: new Map<string, Field>(),
      documents: 0,
      types: new Map<JsonType, number>(),
      values: new Map<FieldValue, number>(),
      hasMoreValues: false,
    }
    this.#fields.push(field)
    level.inner.set(key, field)
    return field
  }
}

function summaryOf(field: Field, documents: number) {
  const values = [...field.values]
    .sort(([a, m], [b, n]) => n - m || (String(a) < String(b) ? -1 : 1))
    .map(([value, count]) => ({ value, count }))
  const counts = { ...field, types: Object.fromEntries(field.types), values }
  return fieldSummary(counts, documents, maxFieldValues)
}

/** What is counted of a field. */
interface FieldCounts {
  readonly path: string
  readonly documents: number
  readonly types: Partial<Record<JsonType, number>>
  /** The most frequent first. */
  readonly values: readonly { readonly value: FieldValue; readonly count: number }[]
  readonly hasMoreValues: boolean
}

/**
 * A field as answers show it.
 * @param all how many documents were looked at
 * @param most how many values are listed
 */
export const fieldSummary = (field: FieldCounts, all: number, most: number) => ({
  path: field.path,
  documents: field.documents,
  missing: all - field.documents,
  share: all === 0 ? 0 : Math.round((field.documents / all) * 1e4) / 1e4,
  types: field.types,
  values: field.values.slice(0, most),
  more_values: field.hasMoreValues || field.values.length > most,
})
