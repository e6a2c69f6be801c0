import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { startOwnService } from '../../support/servers/own-service.ts'

const running = await startOwnService()
afterAll(running.close)

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

  it('lead from each to the next, in the order of the list, and back', async () => {
    const index = await (await open('/docs/guide')).text()
    const listed = [...index.matchAll(/href="guide\/([a-z-]+)"/g)].map(([, name]) => name)
    const read: unknown[] = []
    for (let name: string | undefined = listed[0]; name !== undefined; ) {
      const html: string = await (await open(`/docs/guide/${name}`)).text()
      expect(/rel="prev" href="([a-z-]+)"/.exec(html)?.[1]).toBe(read.at(-1))
      read.push(name)
      name = /rel="next" href="([a-z-]+)"/.exec(html)?.[1]
    }
    expect(read).toEqual(listed)
  })

  it('have an index of all their headings', async () => {
    const answer = await open('/docs/guide/index.json')
    expect(answer.headers.get('content-type')).toBe('application/json')
    const sections: { page: string; anchor: string; text: string }[] = Object(await answer.json())
    for (const [path, html] of await crawled()) {
      if (!path.startsWith('/docs/guide/')) continue
      const anchors = [...html.matchAll(/<h[1-3] id="([^"]*)"/g)].map(([, id]) => id)
      const found = sections.filter(({ page }) => path === `/docs/guide/${page}`)
      expect(found.map(({ anchor }) => anchor)).toEqual(anchors)
    }
    expect(sections.map(({ text }) => text).join('')).not.toMatch(/<\/|&[a-z]+;/)
  })

  it('are Markdown too, with links to each other, as /llms.txt lists them', async () => {
    const answer = await open('/llms.txt')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const listed = [...(await answer.text()).matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(
      ([, to]) => to,
    )
    expect(listed).toContain('docs/guide/words.md')
    for (const to of listed) {
      const page = await open(`/${to}`)
      expect(page.status, to).toBe(200)
      if (!to?.endsWith('.md')) continue
      expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      const text = (await page.text()).replaceAll(/^```[\s\S]*?^```/gm, '')
      expect(text).toMatch(/^# /)
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s#:]+)[^):]*\)/g)) {
        expect((await open(`/docs/guide/${link}`)).status, `${to} ${link}`).toBe(200)
      }
    }
  })

  it('call the README by what it is for, and other documents by their titles', async () => {
    const html = await (await open('/docs/guide/searching')).text()
    expect(html).toContain('<a href="readme">Start here</a>')
    expect(html).toContain('<a href="search">Search</a>\nexplains')
  })
})
