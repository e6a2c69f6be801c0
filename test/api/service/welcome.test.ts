import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const { app } = await testApp()
const open = (accept?: string) =>
  app.request('/', { headers: accept === undefined ? {} : { Accept: accept } })

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
      expect((await app.request(String(path))).status, String(path)).toBe(200)
    }
  })

  it.each([browser, 'text/html', 'text/html, application/json;q=0.5'])(
    'is HTML for what accepts %j',
    async (accept) => {
      const answer = await open(accept)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept')
    },
  )
})

it.each([
  ['/favicon.svg', 'image/svg+xml', '<svg'],
  ['/favicon.ico', 'image/svg+xml', '<svg'],
])('browsers and people find %s', async (path, type, begin) => {
  const answer = await app.request(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  expect((await answer.text()).startsWith(begin)).toBe(true)
})
