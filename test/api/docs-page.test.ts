import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'

const { app } = await testApp()

describe('the documentation page', () => {
  it('needs no other host, and its files are there', async () => {
    const page = await app.request('/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const html = await page.text()
    const links = [...html.matchAll(/\b(?:src|href)\s*=\s*["']?([^"'\s>]+)/gi)]
    const files = links.map(([, link = '']) => new URL(link, 'http://this.host/docs'))
    expect(files.length).toBeGreaterThanOrEqual(2)
    const types: Record<string, RegExp> = {
      css: /^text\/css/,
      js: /^text\/javascript/,
      png: /^image\/png$/,
    }
    for (const { host, pathname } of files) {
      expect(host, pathname).toBe('this.host')
      const answer = await app.request(pathname)
      expect(answer.status, pathname).toBe(200)
      const extension = /\w+$/.exec(pathname)?.[0] ?? ''
      expect(answer.headers.get('content-type'), pathname).toMatch(types[extension] ?? /^$/)
      expect((await answer.arrayBuffer()).byteLength, pathname).toBeGreaterThan(100)
    }
  })

  it('shows the document of this server and asks no validator elsewhere', async () => {
    const html = await (await app.request('/docs')).text()
    expect(html).toMatch(/url: 'openapi\.json'/)
    expect(html).toMatch(/validatorUrl: (null|'none')/)
    expect(html).not.toMatch(/https?:|['"(]\/\//)
  })
})
