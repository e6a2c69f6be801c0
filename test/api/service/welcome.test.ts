import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodedText } from '../../support/decoded-text.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
let running: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  running = await startOwnService()
})
afterAll(() => running.close())

const open = (accept?: string, others: Record<string, string> = {}) =>
  running.app.request('/', {
    headers: { ...(accept !== undefined && { Accept: accept }), ...others },
  })
const page = async () => (await open(browser)).text()
const links = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to]) => to)

describe('the first page', () => {
  it.each([
    ...[undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json'],
    'application/problem+json, text/html;q=0.1',
  ])('is JSON for what accepts %j', async (accept) => {
    const answer = await open(accept)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept')
    const { name, version: _, ...paths } = Object(await answer.json())
    expect(name).toBe('Semblance')
    for (const path of Object.values(paths)) {
      expect((await running.app.request(String(path))).status, String(path)).toBe(200)
    }
  })

  it.each([
    browser,
    'text/html',
    'text/html, application/json;q=0.5',
  ])('is HTML for what accepts %j', async (accept) => {
    const answer = await open(accept)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await answer.text()).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept')
  })

  it('is compressed for browsers', async () => {
    const answer = await open(browser, { 'Accept-Encoding': 'gzip, deflate, br' })
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(await decodedText(answer)).toBe(await page())
  })

  it('has only links that lead somewhere on this server, and no script', async () => {
    const html = await page()
    expect(html).not.toMatch(/<script|\son\w+=|\sstyle=/)
    expect(links(html).length).toBeGreaterThan(5)
    for (const link of links(html)) {
      const { host, pathname } = new URL(link ?? '', 'http://this.host/')
      expect(host, link).toBe('this.host')
      expect((await running.app.request(pathname)).status, link).toBe(200)
    }
  })

  it('allows its own style alone', async () => {
    const answer = await open(browser)
    const policy = answer.headers.get('content-security-policy') ?? ''
    const style = /<style>([\s\S]*)<\/style>/.exec(await answer.text())?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).toContain(`style-src 'sha256-${hash}';`)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })
})

describe('an address with nothing', () => {
  it.each([
    ...['/nothing', '/a/b/', '//x', '/explore/ann/verses/nothing', '/v10', '/scripts/x.0.js'],
    ...['/docs/guide/nothing', '/docs/guide/nothing.png', '/v1/nothing'],
    '/%3Cimg%20src=x%20onerror=alert(1)%3E',
  ])('is the same problem for browsers and programs: %s', async (path) => {
    for (const accept of [browser, '*/*', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2']) {
      const answer = await running.app.request(path, { headers: { Accept: accept } })
      const type = answer.headers.get('content-type')
      expect([answer.status, type]).toEqual([404, 'application/problem+json'])
      expect(await answer.json()).toEqual({
        ...{ title: 'Not Found', status: 404 },
        detail: expect.stringMatching(/^There is nothing at /),
      })
    }
  })
})

describe('what browsers and people try', () => {
  it.each([
    ['/favicon.svg', 'image/svg+xml', '<svg'],
    ['/favicon.ico', 'image/svg+xml', '<svg'],
  ])('finds %s', async (path, type, begin) => {
    const answer = await running.app.request(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect((await answer.text()).startsWith(begin)).toBe(true)
  })

  it.each(['/v1', '/v1/'])('%s leads to the first page', async (path) => {
    const answer = await running.app.request(path)
    const location = new URL(answer.headers.get('location') ?? '', `http://this.host${path}`)
    expect([answer.status, location.pathname]).toEqual([302, '/'])
  })
})
