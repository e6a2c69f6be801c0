const levels = <T>(count: number, next: (level: number) => T) =>
  Array.from({ length: count }, (_, level) => next(level))

const bytes = 250_000
const elements = (element: unknown) => {
  const text = JSON.stringify(element)
  return levels(Math.floor(bytes / (text.length + 1)), () => element)
}

/** Each definition refers twice to the next: 2^40 steps for any value. */
const doubling = (keyword: string, last: unknown = {}) => ({
  $ref: '#/definitions/d0',
  definitions: Object.fromEntries(
    levels(40, (level) => [
      `d${level}`,
      level === 39
        ? last
        : { [keyword]: [1, 2].map(() => ({ $ref: `#/definitions/d${level + 1}` })) },
    ]),
  ),
})

const chain = (length: number) => {
  let value: unknown = {}
  for (let depth = 0; depth < length; depth += 1) value = { a: value }
  return value
}

interface Hostile {
  readonly scheme: unknown
  /** Metadata of the worst kind. */
  readonly metadata: unknown
}

export const endless = doubling('allOf')

/**
 * Schemas that are accepted, and whose validation takes for ever or a heap of memory. Of patterns
 * RE2 leaves none such.
 */
export const hostile: Record<string, Hostile> = {
  'references that double': { scheme: endless, metadata: {} },
  'nested anyOf that explodes': { scheme: doubling('anyOf', false), metadata: {} },
  'recursion into each level twice': {
    scheme: { anyOf: [1, 2].map(() => ({ required: ['a'], properties: { a: { $ref: '#' } } })) },
    metadata: chain(60),
  },
  'uniqueItems of many objects': {
    scheme: { properties: { a: { uniqueItems: true } } },
    metadata: { a: levels(20_000, (n) => ({ n })) },
  },
  'a huge enum for many values': {
    scheme: { properties: { a: { items: { enum: levels(4_000, (n) => n + 1_000) } } } },
    metadata: { a: elements('x') },
  },
  'violations without number': {
    scheme: { properties: { a: { items: { allOf: levels(900, () => ({ type: 'null' })) } } } },
    metadata: { a: elements(1) },
  },
}
