import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { html, raw } from 'hono/html'
import { style } from './style.ts'

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b4fa8"/><circle cx="12.5" cy="16" r="7.5" fill="#8fc1ff"/><circle cx="19.5" cy="16" r="7.5" fill="#fff" fill-opacity=".72"/></svg>`

/** Allows no scripts, nothing from other hosts, and only the style sheet within the page. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Links are relative, because a proxy may serve everything below a path of its own. */
const pageOf = (version: string) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Semblance</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1><img src="favicon.svg" alt="">Semblance</h1>
<p>This server stores vector embeddings of texts for many users and projects, and finds the texts that are similar to one of
them or to a vector. It computes no embeddings: those come from a model of your choice.</p>
<ul>
<li><a href="explore">Explore projects</a>. Public ones need no API key; for others, ask the administrator of this server.</li>
<li><a href="docs/guide">Guides</a>, from the first corpus to operating a server.</li>
<li><a href="docs">Documentation</a> of the API, also as OpenAPI in <a href="openapi.json">JSON</a> and
<a href="openapi.yaml">YAML</a>.</li>
<li><a href="v1/limits">Limits</a> and <a href="readyz">status</a> of this server.</li>
</ul>
</main>
<footer>Version ${version}</footer>
</body>
</html>
`

/**
 * Serves `/` (a page for people, links for programs), the icon, and redirects to it.
 * @param publicPath what all paths begin with for clients
 */
export function welcomeRoutes(version: string, publicPath: string) {
  const router = new Hono()
  const links = {
    name: 'Semblance',
    version,
    documentation: `${publicPath}/docs`,
    openapi: `${publicPath}/openapi.json`,
    projects: `${publicPath}/v1/projects`,
    limits: `${publicPath}/v1/limits`,
    status: `${publicPath}/readyz`,
  }
  const page = String(pageOf(version))
  router.get('/', (c) => {
    c.header('Vary', 'Accept', { append: true })
    if (!isForPeople(c)) return c.json(links, 200)
    return c.body(page, 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
  })
  for (const path of ['/favicon.svg', '/favicon.ico']) {
    router.get(path, (c) =>
      c.body(favicon, 200, {
        'Content-Type': 'image/svg+xml',
        'Cache-Control': 'public, max-age=86400',
      }),
    )
  }
  // Relative, like the links of the page.
  router.get('/v1', (c) => c.redirect('.', 302))
  router.get('/v1/', (c) => c.redirect('..', 302))
  // Links of the page are relative to what the slash at the end makes a folder.
  if (publicPath !== '') router.get(publicPath, (c) => c.redirect(`${publicPath}/`, 308))
  return router
}

/** Browsers accept text/html; other programs accept anything or JSON, as problems are too. */
const isForPeople = (c: Context) =>
  accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'application/problem+json', 'text/html'],
    default: 'application/json',
  }) === 'text/html'
