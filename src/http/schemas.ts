import { z } from '@hono/zod-openapi'
import { type Page, usualPage } from '../db/page.ts'
import { isStorable } from '../db/storable.ts'
import { unknownName } from '../did-you-mean.ts'
import { linesType } from '../json/lines-type.ts'

const handlePattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/
const userHandlePattern = /^[A-Za-z0-9_-]{1,100}$/

/** A string of any length that can be stored. */
export const storableText = z
  .string()
  .refine(isStorable, 'must not hold NUL characters or lone surrogates')

/** Whether a text has at most `max` characters (Unicode code points). */
export const isAtMost = (max: number) => (value: string) =>
  // A code point has at most two code units, so very long strings are refused without counting.
  value.length <= max || (value.length <= 2 * max && [...value].length <= max)

/** A string of at most `max` characters (Unicode code points). */
export const text = (max: number) =>
  storableText
    .refine(isAtMost(max), `must have at most ${max} characters`)
    .openapi({ maxLength: max })

/**
 * Parses the items of a list one by one and reports only the first bad one. An array schema would
 * collect the issues of all items, and millions of bad ones would exhaust the memory.
 * @param nameOf returns what the client calls an item, for the message
 * @param at the path of the list, if it is not the schema's own
 */
export const parseItems =
  <Item extends z.ZodType>(
    item: Item,
    nameOf: (value: unknown) => string | undefined = () => undefined,
    at: readonly string[] = [],
  ) =>
  async (
    items: Iterable<unknown> | AsyncIterable<unknown>,
    context: z.RefinementCtx,
  ): Promise<z.output<Item>[]> => {
    const parsed: z.output<Item>[] = []
    for await (const value of items) {
      const index = parsed.length
      const { data, error } = item.safeParse(value)
      if (error !== undefined) {
        const params = { item: nameOf(value) }
        for (const { path, message } of error.issues) {
          context.addIssue({ code: 'custom', message, path: [...at, index, ...path], params })
        }
        return z.NEVER
      }
      parsed.push(data)
    }
    return parsed
  }

export const UserHandle = z
  .string()
  .regex(userHandlePattern, 'must be 1 to 100 letters, digits, hyphens or underscores')
  .openapi({ example: 'alice' })

/** The handle of a new user. Handles that begin with _ belong to the service. */
export const NewUserHandle = UserHandle.refine((handle) => !handle.startsWith('_'), {
  message: 'must not begin with _',
})

const handleRule =
  'must be 1 to 100 letters, digits, hyphens, underscores or dots, not beginning with a dot'
export const Handle = z.string().regex(handlePattern, handleRule)
export const NewHandle = Handle.refine((handle) => !handle.startsWith('_'), {
  message: 'must not begin with _',
})

export const Description = text(10_000)

const MessageSchema = z.object({ message: z.string() }).openapi('Message')

export const Problem = z
  .object({
    title: z.string().describe('The name of the status.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What is wrong, where, and how to correct it.'),
  })
  .openapi('Problem')

/** An object that refuses unknown fields; otherwise a misspelt one would be silently ignored. */
export const closedObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownName('field', issue.keys[0] ?? '', Object.keys(shape))
        : undefined,
  })

/** For a rule about several fields. It is not checked if one of them is already wrong. */
export const ofSound = (message: string) => ({
  message,
  when: ({ issues }: { issues: readonly unknown[] }) => issues.length === 0,
})

/** One of these names, in a body. */
export const oneOf = <const Names extends readonly string[]>(names: Names) => {
  const choice = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
  return z.enum(names, {
    error: ({ input }) => (input === undefined ? `is required: ${choice}` : `must be ${choice}`),
  })
}

/** An answer in JSON. Tests check the example against the schema. */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.input<Schema>,
) => ({ description, content: { 'application/json': { schema, example } } })

/** An answer in JSON that only says what was done. */
export const messageJson = (description: string, message: string) =>
  json(MessageSchema, description, { message })

/** An answer in lines of JSON. */
export const lines = (description: string, example: string) => ({
  description,
  content: { [linesType]: { schema: z.string(), example } },
})

/** A required JSON body, with an example. */
export const body = <Schema extends z.ZodType>(schema: Schema, example: z.input<Schema>) => ({
  required: true,
  content: { 'application/json': { schema, example } },
})

/**
 * A whole number in a query string, in plain decimal digits. Coercion would also accept '', 0x10
 * and 1e1. Anything else is refused, including a repeated parameter. It may be absent.
 */
export const wholeNumber = (name: string, min: number, max: number) => {
  const message = `${name} must be between ${min} and ${max}`
  return z
    .string({ error: message })
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .optional()
    .openapi({ type: 'integer', minimum: min, maximum: max })
}

export const maxPage = 200
export const maxOffset = 2 ** 31 - 1

// Parameters declare no `default`: generated clients would send it with every request.

export const pageSize = (name: 'limit' | 'count') =>
  wholeNumber(name, 1, maxPage).describe(`Number of results. Default: ${usualPage}.`)

export const offset = wholeNumber('offset', 0, maxOffset).describe(
  'Number of results to skip. Default: 0. Page N starts at (N - 1) * limit.',
)

/** A switch in a query string; false if absent. */
export const flag = (name: string, description: string) => {
  const message = `${name} must be true or false`
  return z
    .enum(['true', 'false'], { error: message })
    .transform((value) => value === 'true')
    .optional()
    .openapi({ type: 'boolean', description: `${description} Default: false.` })
}

export const pageOf = (query: {
  limit?: number | undefined
  offset?: number | undefined
}): Page => ({
  limit: query.limit ?? usualPage,
  offset: query.offset ?? 0,
})
