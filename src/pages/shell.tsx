import { createHash } from 'node:crypto'
import { raw } from 'hono/html'
import type { PageContent } from './page-definition.ts'
import type { Script } from './scripts.ts'
import { pageStyle } from './style.ts'

/**
 * Asks the API before the scripts have loaded, which saves a page one round trip. All pages have
 * the same script, so the content security policy can allow it by its hash.
 */
const firstRequests = `{
const { first, plain } = document.currentScript.dataset
const key = sessionStorage.getItem('semblance-key')
const headers = key === null ? {} : { Authorization: 'Bearer ' + key }
const ask = (url) => {
  const answer = fetch(url, { headers, credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' })
  answer.catch(() => {})
  return [url, answer]
}
const isPlain = location.search.length < 2 && location.hash === ''
const urls = (first + ' ' + (isPlain ? plain : '')).split(' ').filter((url) => url !== '')
globalThis.firstAnswers = new Map(urls.map(ask))
}`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Allows the scripts of this server and the one above, the page's own style and nothing from
 * elsewhere. Text cannot be turned into markup.
 */
export const pagePolicy = [
  "default-src 'none'",
  `script-src 'self' ${hashOf(firstRequests)}`,
  `style-src ${hashOf(pageStyle)}`,
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

interface Shell {
  readonly content: PageContent
  /**
   * The relative path from the page to the service's root. It is relative because a proxy may serve
   * everything below a path of its own.
   */
  readonly base: string
  readonly scripts: readonly Script[]
}

/** Prints the frame of a page. Its island fills it in the browser. */
export const printPage = ({
  content: { title, data, first, firstOfPlain },
  base,
  scripts,
}: Shell) => {
  const urls = (paths: readonly string[]) => paths.map((path) => base + path).join(' ')
  const sources = scripts.map(({ file }) => `${base}scripts/${file}`)
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title} – Semblance</title>
        <link rel="icon" href={`${base}favicon.svg`} type="image/svg+xml" />
        <script data-first={urls(first)} data-plain={urls(firstOfPlain)}>
          {raw(firstRequests)}
        </script>
        <style>{raw(pageStyle)}</style>
        {sources.map((source) => (
          <script src={source} defer />
        ))}
      </head>
      <body>
        <header class="top">
          <a class="home" href={base === '' ? './' : base}>
            <img src={`${base}favicon.svg`} alt="" width="24" height="24" />
            Semblance
          </a>
          <nav aria-label="This server">
            <a href={`${base}explore`}>Explore</a>
            <a href={`${base}docs`}>Documentation</a>
          </nav>
        </header>
        <main id="island" data-base={base} data-owner={data?.owner} data-project={data?.project}>
          <noscript>
            <p>
              This page needs JavaScript. Programs can use the API instead; see the documentation.
            </p>
          </noscript>
        </main>
      </body>
    </html>
  )
  return `<!doctype html>\n${page}`
}
