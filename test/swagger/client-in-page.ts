import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import type { Server } from './server.ts'

const files = new Map([
  ['/walk.js', 'test/swagger/browser-walk.js'],
  ['/openapi-fetch.js', 'node_modules/openapi-fetch/dist/index.mjs'],
  ...['client', 'direct', 'error', 'lines', 'retry'].map(
    (name) => [`/client/${name}.js`, `clients/typescript/dist/${name}.js`] as const,
  ),
])

const html = `<!doctype html><title>walking</title>
<script type="importmap">{"imports": {"openapi-fetch": "/openapi-fetch.js"}}</script>
<script type="module" src="/walk.js"></script>`

/** Uses the built semblance-client in a page of another origin. @returns `walked`, or what went wrong */
export async function walkInPage(browser: Browser, { url, key }: Server): Promise<string> {
  const site = createServer(async (request, response) => {
    const file = files.get(request.url ?? '')
    response.setHeader('Content-Type', file === undefined ? 'text/html' : 'text/javascript')
    response.end(file === undefined ? html : await readFile(file))
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  const address = site.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on no port')
  const page = await browser.newPage()
  try {
    await page.goto(`http://127.0.0.1:${address.port}/#${new URLSearchParams({ url, key })}`)
    await page.waitForFunction("document.title !== 'walking'")
    return await page.title()
  } finally {
    await page.close()
    site.close()
  }
}
