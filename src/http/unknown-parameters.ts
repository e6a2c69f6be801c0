import { type RouteConfig, z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { unknownName } from '../did-you-mean.ts'
import { badRequest } from '../errors.ts'

const noName = 'A query parameter has no name'

/**
 * Creates a function that refuses query parameters unknown to the operation; otherwise a misspelt
 * one would be silently ignored.
 * @throws Error if the schema does not list its parameters
 */
export function unknownParameters(query: NonNullable<RouteConfig['request']>['query']) {
  if (query !== undefined && !(query instanceof z.ZodObject)) throw new Error('no object schema')
  const known = Object.keys(query?.shape ?? {})
  /** @throws 400 that names the first unknown one */
  return ({ url }: HonoRequest): void => {
    if (!url.includes('?')) return
    const { search, searchParams } = new URL(url)
    for (const name of searchParams.keys()) {
      if (name === '') throw badRequest(noName)
      if (!known.includes(name)) throw badRequest(unknownName('query parameter', name, known))
    }
    // '?&' has no parameter, but the client meant to send one.
    if (search !== '' && searchParams.size === 0) throw badRequest(noName)
  }
}
