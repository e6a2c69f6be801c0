import { z } from '@hono/zod-openapi'
import { Items } from './items.ts'

/** A list in a body that `createUploadReader` has read, or an array. */
export const itemList = z.unknown().transform((value, context): Items => {
  if (value instanceof Items) return value
  if (Array.isArray(value)) return new Items(value)
  context.issues.push({ code: 'invalid_type', expected: 'array', input: value })
  return z.NEVER
})
