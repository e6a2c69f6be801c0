import type { Context, Hono, NotFoundHandler } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { notFound, ServiceError } from '../errors.ts'
import type { AppEnv } from './env.ts'
import { refuseNul } from './operation.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Answers 404 for an unknown path, and 405 with Allow for a path without this method.
 * @param pageFor says in a page that there is nothing; undefined for programs. Only programs use other
 *   methods, or the paths of the API, whatever they accept
 */
export function refuseUnknown(
  app: Hono<AppEnv>,
  pageFor: (c: Context<AppEnv>, detail: string) => Response | undefined,
): NotFoundHandler<AppEnv> {
  const known = new TrieRouter<true>()
  for (const { method, path } of app.routes) {
    if (methods.includes(method)) known.add(method, path, true)
  }
  return (c) => {
    refuseNul(c.req)
    const allowed = methods.filter((method) => known.match(method, c.req.path)[0].length > 0)
    // A route that has found nothing answers as if it did not exist.
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
    if (allowed.length === 0 || allowed.includes(method)) {
      const detail = `There is nothing at ${c.req.path}`
      const mayBePage = method === 'GET' && !/^\/v1(\/|$)/.test(c.req.path)
      const page = mayBePage ? pageFor(c, detail) : undefined
      if (page === undefined) throw notFound(detail)
      c.set('detail', detail)
      return page
    }
    if (allowed.includes('GET')) allowed.push('HEAD')
    c.header('Allow', [...allowed, 'OPTIONS'].join(', '))
    throw new ServiceError(
      'method-not-allowed',
      `${c.req.method} is not possible here; the methods are ${allowed.join(', ')}`,
    )
  }
}
