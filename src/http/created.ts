import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { header } from './declared-answers.ts'
import type { OperationServices } from './env.ts'
import { json } from './schemas.ts'

/** Declares the answer of an operation that creates one thing, for the OpenAPI document. */
export const createdJson = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.input<Schema>,
) => ({ ...json(schema, description, example), headers: { Location: header('Location') } })

/** Declares the answers of a PUT that creates or replaces one thing. */
export const putJson = <Schema extends z.ZodType>(
  schema: Schema,
  noun: string,
  example: z.input<Schema>,
) => ({
  200: json(schema, `The replaced ${noun}`, example),
  201: createdJson(schema, `The created ${noun}`, example),
})

/**
 * Sets the Location header to the path of what was created. The segments are handles, so they need
 * no encoding.
 * @returns the status
 */
export function createdAt(c: Context, ...path: readonly string[]): 201 {
  const { publicPath }: OperationServices = c.get('server')
  c.header('Location', `${publicPath}/v1/${path.join('/')}`)
  return 201
}
