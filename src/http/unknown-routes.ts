import type { Hono, NotFoundHandler } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { notFound, ServiceError } from '../errors.ts'
import type { AppEnv } from './env.ts'
import { refuseNul } from './operation.ts'

/** Where probes look for the state of other services. */
const ofHealth = /^\/(health|healthz|healthcheck|livez|ready|ping|status)\/?$/

const hintFor = (path: string) =>
  ofHealth.test(path) ? '; /readyz says whether the service is ready' : ''

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Answers 404 for an unknown path, and 405 with Allow for a path without this method. */
export function refuseUnknown(app: Hono<AppEnv>): NotFoundHandler<AppEnv> {
  const known = new TrieRouter<true>()
  for (const { method, path } of app.routes) {
    if (methods.includes(method)) known.add(method, path, true)
  }
  return (c) => {
    refuseNul(c.req)
    const allowed = methods.filter((method) => known.match(method, c.req.path)[0].length > 0)
    if (allowed.length === 0)
      throw notFound(`There is nothing at ${c.req.path}${hintFor(c.req.path)}`)
    if (allowed.includes('GET')) allowed.push('HEAD')
    c.header('Allow', [...allowed, 'OPTIONS'].join(', '))
    throw new ServiceError(
      'method-not-allowed',
      `${c.req.method} is not possible here; the methods are ${allowed.join(', ')}`,
    )
  }
}
