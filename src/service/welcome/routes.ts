import { type Context, Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { explainDatabaseError } from '../../db/errors.ts'
import { ServiceError } from '../../errors.ts'
import { favicon, faviconPng } from './favicon.ts'
import { type ShownProject, shownDescription, welcomePage, welcomePolicy } from './page.ts'

const shownProjects = 30

interface Dependencies {
  readonly version: string
  /** Returns the newest public projects, with descriptions cut to a length in characters. */
  readonly publicProjects: (most: number, length: number) => Promise<ShownProject[]>
}

/** Serves `/` (a page for people, links for programs), the icon, and a redirect from `/v1`. */
export function welcomeRoutes({ version, publicProjects }: Dependencies) {
  const router = new Hono()
  const links = {
    name: 'Semblance',
    version,
    documentation: '/docs',
    openapi: '/openapi.json',
    projects: '/v1/projects',
    limits: '/v1/limits',
    status: '/readyz',
  }

  /** Returns undefined while the database is unavailable. @throws any other error */
  async function readProjects(): Promise<ShownProject[] | undefined> {
    return publicProjects(shownProjects + 1, shownDescription + 1).catch((error: unknown) => {
      const known = error instanceof ServiceError ? error : explainDatabaseError(error)
      if (known?.kind === 'unavailable') return undefined
      throw error
    })
  }

  router.get('/', async (c) => {
    c.header('Vary', 'Accept', { append: true })
    if (!isForPeople(c)) return c.json(links, 200)
    const found = await readProjects()
    const hasMore = found !== undefined && found.length > shownProjects
    const page = await welcomePage(version, found?.slice(0, shownProjects), hasMore)
    return c.body(String(page), found === undefined ? 503 : 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': welcomePolicy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
  })
  const cached = { 'Cache-Control': 'public, max-age=86400' }
  router.get('/favicon.svg', (c) =>
    c.body(favicon, 200, { 'Content-Type': 'image/svg+xml', ...cached }),
  )
  router.get('/favicon.ico', (c) =>
    c.body(faviconPng, 200, { 'Content-Type': 'image/png', ...cached }),
  )
  // Relative, like the links of the page.
  router.get('/v1', (c) => c.redirect('.', 302))
  router.get('/v1/', (c) => c.redirect('..', 302))
  return router
}

/** Browsers accept text/html; other programs accept anything or JSON. */
const isForPeople = (c: Context) =>
  accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/html'],
    default: 'application/json',
  }) === 'text/html'
