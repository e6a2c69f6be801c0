import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unavailable } from '../../../src/errors.ts'
import { welcomeRoutes } from '../../../src/service/welcome/routes.ts'
import { modelOf } from '../../shared/model.ts'
import { adminKey } from '../../support/app.ts'
import { decodedText } from '../../support/decoded-text.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const service = modelOf()

let running: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  running = await startOwnService()
  await put('/v1/users/alice', {})
  await put('/v1/llm-services/alice/m', service)
})
afterAll(() => running.close())

async function put(path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${adminKey}` }
  const answer = await running.app.request(path, {
    method: 'PUT',
    headers,
    body: JSON.stringify(body),
  })
  expect(answer.status, path).toBeLessThan(300)
}
const putProject = (handle: string, fields: object) =>
  put(`/v1/projects/alice/${handle}`, { instance_owner: 'alice', instance_handle: 'm', ...fields })

const open = (accept?: string, others: Record<string, string> = {}) =>
  running.app.request('/', {
    headers: { ...(accept !== undefined && { Accept: accept }), ...others },
  })
const page = async () => (await open(browser)).text()
const links = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to]) => to)
const projectsIn = (html: string) => links(html).filter((to) => to?.startsWith('explore/'))

describe('the first page', () => {
  it.each([
    undefined,
    '*/*',
    'application/json',
    'text/html;q=0.5, application/json',
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

  it('says that there are no public projects, and nothing of others', async () => {
    await putProject('hidden', { description: 'Nobody may know' })
    const html = await page()
    expect(html).toContain('There are none yet')
    expect(html).not.toMatch(/hidden|Nobody may know/)
  })

  it('has only links that lead somewhere on this server, and no script', async () => {
    await putProject('first', { public_read: true })
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

  it('shows what users have written as text', async () => {
    const description = `<script>alert(1)</script> "a" & 'b' </p> ${'ü'.repeat(300)}`
    await putProject('x'.repeat(100), { public_read: true, description })
    const html = await page()
    expect(html).toContain(`explore/alice/${'x'.repeat(100)}`)
    expect(html).not.toContain('<script')
    expect(html).toMatch(/&lt;script&gt;alert\(1\)&lt;\/script&gt; &quot;a&quot; &amp; &#39;b&#39;/)
    expect(html).toMatch(/[^ü]ü{100,200}…/)
  })

  it('has the thirty newest projects, and says that there are more', async () => {
    expect(await page()).not.toContain('There are more')
    for (let index = 1; index <= 31; index += 1) {
      await putProject(`p${index}`, { public_read: true })
    }
    const html = await page()
    expect(html).toContain('There are more')
    expect(projectsIn(html)).toEqual(
      Array.from({ length: 30 }, (_, index) => `explore/alice/p${31 - index}`),
    )
  })

  it('says so when the database does not answer', async () => {
    const app = new Hono()
    const publicProjects = () => Promise.reject(unavailable('There is no database'))
    app.route('/', welcomeRoutes({ version: '1.0.0', publicProjects }))
    const answer = await app.request('/', { headers: { Accept: browser } })
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('the database does not answer')
  })
})

describe('what browsers and people try', () => {
  it.each([
    ['/favicon.svg', 'image/svg+xml', '<svg'],
    ['/favicon.ico', 'image/png', '\x89PNG'],
  ])('finds %s', async (path, type, begin) => {
    const answer = await running.app.request(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.toString('latin1').startsWith(begin)).toBe(true)
  })

  it.each(['/v1', '/v1/'])('%s leads to the first page', async (path) => {
    const answer = await running.app.request(path)
    const location = new URL(answer.headers.get('location') ?? '', `http://this.host${path}`)
    expect([answer.status, location.pathname]).toEqual([302, '/'])
  })
})
