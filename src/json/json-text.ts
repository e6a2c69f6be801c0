/** JSON text of a value of this shape, made of parts that the database returned as text. */
export interface JsonText<Shape> {
  readonly text: string
  /** What follows `text`, to be read in parts, if everything would be too much at once. */
  readonly rest?: AsyncGenerator<string>
  /** Never set: it lets the compiler tell texts of different shapes apart. */
  readonly shape?: Shape
}

/**
 * Writes an object. Fields that are JSON text already come last.
 * @param raw text by field; null leaves the field out
 */
export function jsonObject<Raw extends object, Fields extends object>(
  fields: Fields,
  raw: { readonly [Name in keyof Raw]-?: string | null },
): JsonText<Fields & Raw> {
  let text = JSON.stringify(fields).slice(0, -1)
  // Appended, not joined: V8 copies appended text once, when all of it is sent.
  for (const [name, part] of Object.entries<string | null>(raw)) {
    if (part !== null) text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${part}`
  }
  return { text: `${text}}` }
}

/** A group of items of a list. */
interface JsonGroup<Item> {
  readonly items: readonly JsonText<Item>[]
  readonly isLast: boolean
}

/**
 * Writes an object whose field `name` is an array of JSON texts.
 * @param groups of items, at least one; each becomes a part of the text
 */
export async function jsonList<Name extends string, Item, Fields extends object>(
  name: Name,
  groups: AsyncIterable<JsonGroup<Item>>,
  fields: Fields,
): Promise<JsonText<Fields & Record<Name, Item[]>>> {
  return jsonInParts(listParts(name, groups, fields))
}

/** A part of a JSON text. */
interface JsonPart {
  readonly text: string
  readonly isLast: boolean
}

/**
 * Reads the first part of a text.
 * @param parts at least one
 */
export async function jsonInParts<Shape>(
  parts: AsyncGenerator<JsonPart>,
): Promise<JsonText<Shape>> {
  const first = await parts.next()
  if (first.done === true) throw new Error('a text needs a part')
  const { text, isLast } = first.value
  return isLast ? { text } : { text, rest: textsOf(parts) }
}

async function* listParts<Item>(
  name: string,
  groups: AsyncIterable<JsonGroup<Item>>,
  fields: object,
): AsyncGenerator<JsonPart> {
  let text = `{${JSON.stringify(name)}:[`
  let separator = ''
  for await (const { items, isLast } of groups) {
    for (const item of items) {
      text += separator + item.text
      separator = ','
    }
    if (isLast) text += `],${JSON.stringify(fields).slice(1)}`
    yield { text, isLast }
    text = ''
  }
}

async function* textsOf(parts: AsyncIterable<JsonPart>) {
  for await (const { text } of parts) yield text
}
