import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Context, Hono } from 'hono'
import { notFound } from '../errors.ts'
import { colours } from '../service/welcome/style.ts'

interface Page {
  readonly path: string
  /** Its name in web/main.tsx. */
  readonly name: string
  readonly title: string
}

/** The patterns match what handles may contain. */
const project = '/explore/:owner{[A-Za-z0-9_-]{1,100}}/:project{[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}}'

/**
 * The pages for people. Each is the same whether or not its project exists: the browser asks the
 * API, which decides what the caller may see.
 */
export const pages: readonly Page[] = [
  { path: '/explore', name: 'explore', title: 'Explore' },
  { path: '/explore/keys', name: 'keys', title: 'Keys' },
  { path: project, name: 'project', title: '{owner}/{project}' },
  { path: `${project}/map`, name: 'map', title: 'Map of {owner}/{project}' },
  {
    path: `${project}/duplicates`,
    name: 'duplicates',
    title: 'Near-duplicates in {owner}/{project}',
  },
]

/** Serves the pages and their script, which the build makes of web/. */
export function pageRoutes() {
  const router = new Hono()
  const built = readOnce()
  for (const page of pages) {
    router.get(page.path, (c) => answerPage(c, page, built()))
    if (page.path.includes(':')) continue
    const name = page.path.slice(page.path.lastIndexOf('/'))
    router.get(`${page.path}/`, (c) => c.redirect(`..${name}`, 308))
  }
  router.get('/scripts/:file{[\\w-]+\\.[0-9a-f]+\\.js}', (c) => {
    const { script, scriptFile } = built()
    if (c.req.param('file') !== scriptFile) throw notFound(`There is nothing at ${c.req.path}`)
    return c.body(script, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
  })
  return router
}

interface Built {
  readonly shell: string
  readonly style: string
  readonly script: string
  /** Contains a hash of the script, so browsers may cache it for ever. */
  readonly scriptFile: string
}

/**
 * Reads the built files at the first request for a page. When the service runs from its sources, as
 * in tests, they are those of the last build.
 */
function readOnce() {
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/web/' : '../web/'
  const read = (name: string) => readFileSync(new URL(folder + name, import.meta.url), 'utf8')
  let built: Built | undefined
  return () => {
    if (built === undefined) {
      const script = read('main.js')
      const hash = createHash('sha256').update(script).digest('hex').slice(0, 16)
      const style = colours + read('style.css')
      built = { shell: read('index.html'), style, script, scriptFile: `pages.${hash}.js` }
    }
    return built
  }
}

/** Fills the places of the shell, such as `{title}`. No value has a character to be escaped. */
const filled = (shell: string, values: Readonly<Record<string, string>>) =>
  shell.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

function answerPage(c: Context, page: Page, { shell, style, scriptFile }: Built) {
  const { owner = '', project = '' } = c.req.param()
  // Relative, because a proxy may serve everything below a path of its own.
  const base = '../'.repeat(page.path.split('/').length - 2)
  const html = filled(shell, {
    title: filled(page.title, { owner, project }),
    base,
    home: base === '' ? './' : base,
    style,
    script: scriptFile,
    page: page.name,
    owner,
    project,
  })
  return c.body(html, 200, {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': pagePolicy(style),
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
}

/**
 * Allows the scripts of this server, the page's own style and nothing from elsewhere. Text cannot
 * be turned into markup.
 */
const pagePolicy = (style: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
