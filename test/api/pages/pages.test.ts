import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pages } from '../../../src/pages/routes.ts'
import { testApp } from '../../support/app.ts'
import { decodedText } from '../../support/decoded-text.ts'
import { newProject } from '../../support/factories.ts'

const { app } = await testApp()

const open = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
const belowProject = ['', '/text', '/map', '/duplicates', '/upload', '/manage', '/code']
const paths = [
  ...['/explore', '/explore/keys', '/explore/new'],
  ...belowProject.map((below) => `/explore/nobody/nothing${below}`),
]

const linksIn = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to = '']) => to)

const types: Readonly<Record<string, RegExp>> = {
  ...{ css: /^text\/css/, js: /^text\/javascript/, png: /^image\/png$/, svg: /^image\/svg\+xml$/ },
}
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe.each([...[...paths, '/', '/docs', '/docs/guide', '/docs/guide/words']])(
  'what people see at %s',
  (path) => {
    const page = () => open(path, { Accept: browser })

    it('is HTML', async () => {
      const answer = await page()
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      expect(await answer.text()).toMatch(/^<!doctype html>\n<html lang="en">/)
    })

    // Swagger UI has a policy of its own.
    it.skipIf(path === '/docs')(
      'allows its own scripts alone, and nobody to frame it',
      async () => {
        const answer = await page()
        const html = await answer.text()
        const policy = answer.headers.get('content-security-policy') ?? ''
        expect(policy).toMatch(/^default-src 'none';/)
        for (const part of [
          ...[
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
          ],
          "require-trusted-types-for 'script'",
        ]) {
          expect(policy.split('; ')).toContain(part)
        }
        expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:/)
        for (const [tag, directive] of [
          ['script', 'script-src'],
          ['style', 'style-src'],
        ]) {
          const inline = new RegExp(`<${tag}(?![^>]* src=)[^>]*>([\\s\\S]*?)</${tag}>`, 'g')
          for (const [, text = ''] of html.matchAll(inline)) {
            const hash = createHash('sha256').update(text).digest('base64')
            const allowed = policy.split('; ').find((part) => part.startsWith(`${directive} `))
            expect(allowed).toContain(`'sha256-${hash}'`)
          }
        }
        expect(html).not.toMatch(/\son\w+=|\sstyle=/)
        expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      },
    )

    it.each(['http://this.host', 'http://this.host/a/proxy'])(
      'has links that lead somewhere below %s',
      async (place) => {
        const links = linksIn(await (await page()).text())
        expect(links.length).toBeGreaterThan(5)
        for (const link of links) {
          const { href } = new URL(link, place + path)
          expect(href.startsWith(`${place}/`), link).toBe(true)
          const answer = await open(href.slice(place.length))
          expect(answer.status, link).toBe(200)
          const type = types[/\.(\w+)$/.exec(href)?.[1] ?? ''] ?? /^(text\/|application\/)/
          expect(answer.headers.get('content-type'), link).toMatch(type)
        }
      },
    )
  },
)

describe.each(paths)('the page %s', (path) => {
  it('is asked for again, and is below 110 KB with its script, unpacked', async () => {
    expect((await open(path)).headers.get('cache-control')).toBe('no-cache')
    const html = await (await open(path)).text()
    const files = [path, ...linksIn(html).filter((to) => to.endsWith('.js'))]
    expect(files).toHaveLength(2)
    let bytes = 0
    for (const file of files) {
      const { pathname } = new URL(file, `http://this.host${path}`)
      const answer = await open(pathname, { 'Accept-Encoding': 'gzip' })
      expect(answer.headers.get('content-encoding')).toBe('gzip')
      // How small gzip makes it differs between versions of zlib.
      bytes += Buffer.byteLength(await decodedText(answer))
    }
    expect(bytes).toBeLessThan(110_000)
  })
})

it('the script of the pages may be kept for ever, by a name that tells what is in it', async () => {
  for (const path of paths) {
    const html = await (await open(path)).text()
    const link = linksIn(html).find((to) => to.endsWith('.js')) ?? ''
    const { pathname } = new URL(link, `http://this.host${path}`)
    const answer = await open(pathname, { 'Accept-Encoding': 'gzip' })
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const source = await decodedText(answer)
    const hash = createHash('sha256').update(source).digest('hex')
    expect(hash.startsWith(/\.(\w+)\.js$/.exec(link)?.[1] ?? 'none')).toBe(true)
    // Endpoints of providers are proposed or compared, not asked for.
    const stored = 'www\\.w3\\.org|endpoint\\.invalid|localhost:|127\\.0\\.0\\.1:'
    const elsewhere = new RegExp(`\\beval\\(|new Function|https?://(?!${stored})`)
    expect(source).not.toMatch(elsewhere)
  }
})

const datasetBlock = /<script type="application\/ld\+json">(.*?)<\/script>/
const withoutDataset = (html: string) => html.replace(datasetBlock, '')
const datasetIn = (html: string) => datasetBlock.exec(html)?.[1]

describe('the page of a public project', () => {
  it('describes it to crawlers, whatever its description', async () => {
    const description = '</script><!--<script>alert(1)</script> & \u2028 "quoted" {title}'
    const { owner, handle } = await newProject({ public_read: true, description })
    const path = `/explore/${owner.handle}/${handle}`
    const html = await (await open(path)).text()
    const block = datasetIn(html) ?? ''
    expect(block).not.toMatch(/[<>&\u2028]/)
    expect(JSON.parse(block)).toMatchObject({
      '@type': 'Dataset',
      name: `${owner.handle}/${handle}`,
      description,
      url: `http://localhost${path}`,
      variableMeasured: [{ name: 'texts', value: 0 }, { name: 'dimensions' }],
      distribution: { contentUrl: `http://localhost/v1/projects/${owner.handle}/${handle}/export` },
    })
    expect(datasetIn(await (await open(`${path}/map`)).text())).toBeUndefined()
  })

  it('does so for nobody else', async () => {
    const { owner, handle } = await newProject()
    const headers = { Authorization: `Bearer ${owner.key}` }
    expect(
      datasetIn(await (await open(`/explore/${owner.handle}/${handle}`, headers)).text()),
    ).toBe(undefined)
  })
})

describe.each(belowProject)('the page of a project%s', (below) => {
  it('is the same, whoever asks, for what is public, private and not there', async () => {
    const [open1, closed] = [await newProject({ public_read: true }), await newProject()]
    const described = await Promise.all(
      [open1, closed].map(async ({ owner, handle }) => {
        const path = `/explore/${owner.handle}/${handle}${below}`
        const answers = await Promise.all([
          open(path),
          open(path, { Authorization: `Bearer ${owner.key}` }),
        ])
        const [first = '', second = ''] = await Promise.all(answers.map((each) => each.text()))
        expect(second).toBe(first)
        return withoutDataset(first)
          .replaceAll(owner.handle, 'nobody')
          .replaceAll(handle, 'nothing')
      }),
    )
    const absent = await (await open(`/explore/nobody/nothing${below}`)).text()
    expect(described).toEqual([absent, absent])
  })

  it('knows no other method', async () => {
    expect((await app.request('/explore', { method: 'POST' })).status).toBe(405)
  })
})

it.each([
  ['/explore/', '/explore', 308],
  ['/explore/keys/', '/explore/keys', 308],
  ['/explore/new/', '/explore/new', 308],
  ['/docs/', '/docs', 308],
  ['/docs/guide/', '/docs/guide', 308],
  ['/v1', '/', 302],
  ['/v1/', '/', 302],
])('%s leads to %s', async (path, to, status) => {
  const answer = await open(path)
  const location = new URL(answer.headers.get('location') ?? '', `http://this.host${path}`)
  expect([answer.status, location.pathname]).toEqual([status, to])
})

it('no page is in the OpenAPI document, which is for programs', async () => {
  const { paths: described } = Object(await (await open('/openapi.json')).json())
  for (const { path } of pages) expect(Object.keys(described)).not.toContain(path)
})
