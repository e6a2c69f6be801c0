import { type RouteConfig, z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { nearest } from '../did-you-mean.ts'
import { badRequest, type ServiceError } from '../errors.ts'

/** Longer names are not repeated, because a key put in the wrong place is longer. */
const maxShown = 40

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
      if (!known.includes(name)) throw unknownParameter(name, known)
    }
    // '?&' has no parameter, but the client meant to send one.
    if (search !== '' && searchParams.size === 0) throw unknownParameter('', known)
  }
}

export function unknownParameter(name: string, known: readonly string[]): ServiceError {
  if (name === '') return badRequest('A query parameter has no name')
  const shown = name.length > maxShown ? `of ${name.length} characters` : `'${name}'`
  const meant = nearest(name, known)
  if (meant !== undefined) {
    return badRequest(`Unknown query parameter ${shown}: did you mean ${meant}?`)
  }
  const choice = known.length === 0 ? 'there are none here' : `known here: ${known.join(', ')}`
  return badRequest(`Unknown query parameter ${shown}; ${choice}`)
}
