import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { header } from './declared-answers.ts'
import { json } from './schemas.ts'

/** The answer to what creates one thing, as the document has it. */
export const createdJson = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.input<Schema>,
) => ({ ...json(schema, description, example), headers: { Location: header('Location') } })

/** The status of what was created, with its path, of handles alone, in the header Location. */
export function createdAt(c: Context, ...path: readonly string[]): 201 {
  c.header('Location', `/v1/${path.join('/')}`)
  return 201
}
