/** JSON text of a value of this shape, made of parts that the database had as text already. */
export interface JsonText<Shape> {
  readonly text: string
  /** Never set: it lets the compiler tell texts of different shapes apart. */
  readonly shape?: Shape
}

/**
 * Writes an object some of whose fields are JSON text already; they come last.
 * @param raw text by field; null leaves the field out
 */
export function jsonObject<Raw extends object, Fields extends object>(
  fields: Fields,
  raw: { readonly [Name in keyof Raw]-?: string | null },
): JsonText<Fields & Raw> {
  const parts = Object.entries<string | null>(raw).flatMap(([name, text]) =>
    text === null ? [] : [`${JSON.stringify(name)}:${text}`],
  )
  const rest = JSON.stringify(fields).slice(1, -1)
  return { text: `{${[rest, ...parts].filter((part) => part !== '').join(',')}}` }
}

/** Writes an object whose field `name` is an array of what is JSON text already. */
export function jsonList<Name extends string, Item, Fields extends object>(
  name: Name,
  items: readonly JsonText<Item>[],
  fields: Fields,
): JsonText<Fields & Record<Name, Item[]>> {
  const list = items.map(({ text }) => text).join(',')
  return { text: `{${JSON.stringify(name)}:[${list}],${JSON.stringify(fields).slice(1)}` }
}
