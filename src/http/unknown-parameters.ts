import { type RouteConfig, z } from '@hono/zod-openapi'
import type { HonoRequest } from 'hono'
import { nearest } from '../did-you-mean.ts'
import { badRequest, type ServiceError } from '../errors.ts'

/** Longer ones are not repeated: a key that was put in the wrong place is longer. */
const maxShown = 40

/**
 * Makes what refuses a request with a query parameter that its operation does not know: a misspelt one
 * would else be as good as none.
 * @throws Error for a schema that does not list its parameters
 */
export function unknownParameters(query: NonNullable<RouteConfig['request']>['query']) {
  if (query !== undefined && !(query instanceof z.ZodObject)) throw new Error('no object schema')
  const known = Object.keys(query?.shape ?? {})
  /** @throws 400 that names the first one */
  return ({ url }: HonoRequest): void => {
    if (!url.includes('?')) return
    const { search, searchParams } = new URL(url)
    for (const name of searchParams.keys()) {
      if (!known.includes(name)) throw unknownParameter(name, known)
    }
    // '?&' has none, but was meant to have one.
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
