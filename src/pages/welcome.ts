import { type Context, Hono } from 'hono'
import { accepts } from 'hono/accepts'
import { answerFramed } from './frame.ts'

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b4fa8"/><circle cx="12.5" cy="16" r="7.5" fill="#8fc1ff"/><circle cx="19.5" cy="16" r="7.5" fill="#fff" fill-opacity=".72"/></svg>`

const mainOf = (version: string) => `<main>
<h1>Find similar texts</h1>
<p class="lead">This server stores vector embeddings of texts for many users and projects, and finds the texts that are similar to
one of them or to a vector. It computes no embeddings: those come from a model of your choice.</p>
<div class="cards">
<section><h2>Projects</h2>
<p>Search texts, see them on a map, find near-duplicates and upload your own. Public projects need no API key; for others, ask the
administrator of this server.</p>
<p class="buttons"><a class="button primary" href="explore">Explore projects</a></p></section>
<section><h2>Guides</h2>
<p>From the first corpus to operating a server: in a browser, in Python, in a terminal or with any HTTP client.</p>
<p class="buttons"><a class="button" href="docs/guide">Read the guides</a></p></section>
<section><h2>API</h2>
<p>Every operation, to try here and now; also as OpenAPI in <a href="openapi.json">JSON</a> and <a href="openapi.yaml">YAML</a>.</p>
<p class="buttons"><a class="button" href="docs">Open the API</a></p></section>
</div>
<p class="soft">Version ${version}; <a href="v1/limits">limits</a> and <a href="readyz">status</a> of this server</p>
</main>`

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
  const page = { title: 'Find similar texts', main: mainOf(version) }
  router.get('/', (c) => {
    c.header('Vary', 'Accept', { append: true })
    return isForPeople(c) ? answerFramed(c, '/', page) : c.json(links, 200)
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
