import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOwnService } from '../../support/servers/own-service.ts'

let running: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  running = await startOwnService()
})
afterAll(() => running.close())

const open = (path: string) => running.app.request(path)

/** Follows the links of the guides, as a browser resolves them. */
async function crawled(): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const waiting = ['/docs/guide']
  for (const path of waiting) {
    const answer = await open(path)
    expect(answer.status, path).toBe(200)
    if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
    const html = await answer.text()
    pages.set(path, html)
    if (!path.startsWith('/docs/guide')) continue
    for (const [, to = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const { host, pathname } = new URL(to, `http://this.host${path}`)
      if (host === 'this.host' && !waiting.includes(pathname)) waiting.push(pathname)
    }
  }
  return pages
}

describe('the guides', () => {
  it('are all that the repository has', async () => {
    const files = readdirSync(new URL('../../../docs/guide', import.meta.url))
    const index = await (await open('/docs/guide')).text()
    for (const file of files.filter((name) => name.endsWith('.md'))) {
      expect(index).toContain(`"guide/${file.slice(0, -'.md'.length)}"`)
    }
  })

  it('link to each other, to their images and to headings that exist', async () => {
    const pages = await crawled()
    const names = [...pages.keys()].filter((path) => path.startsWith('/docs/guide/'))
    expect(names).toEqual(
      expect.arrayContaining([
        '/docs/guide/first-corpus',
        '/docs/guide/python',
        '/docs/guide/search',
      ]),
    )
    for (const [path, html] of pages) {
      for (const [, to = ''] of html.matchAll(/href="([^"]*#[^"]*)"/g)) {
        const { host, pathname, hash } = new URL(to, `http://this.host${path}`)
        if (host === 'this.host')
          expect(pages.get(pathname), `${path} ${to}`).toContain(`id="${hash.slice(1)}"`)
      }
    }
  })

  it('need no script, and have the policy of the other pages', async () => {
    const [guide, page] = [await open('/docs/guide/words'), await open('/explore')]
    const html = await guide.text()
    expect(html).toContain('<title>Search by words – Semblance</title>')
    expect(html).not.toMatch(/<script|\son\w+=|\sstyle=|\{\w+\}<\/title>/)
    const policy = guide.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toBe(page.headers.get('content-security-policy'))
  })

  it.each([
    ...['nothing', 'index', 'nothing.png', 'words.html', '..%2Fweb%2Findex', '%2e%2e%2fmain'],
  ])('do not have %s', async (name) => {
    expect((await open(`/docs/guide/${name}`)).status).toBe(404)
  })

  it('have their index at the address with a slash, too', async () => {
    const answer = await open('/docs/guide/')
    const location = new URL(answer.headers.get('location') ?? '', 'http://this.host/docs/guide/')
    expect([answer.status, location.pathname]).toEqual([308, '/docs/guide'])
  })
})
