import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'

const idFor = async (path: string, sent?: string) => {
  const { app } = await testApp()
  const headers = sent === undefined ? {} : { 'X-Request-Id': sent }
  const answer = await app.request(path, { headers })
  return answer.headers.get('x-request-id')
}

describe('X-Request-Id', () => {
  it('is on every answer, errors included, and another each time', async () => {
    const paths = ['/v1/api-standards', '/v1/users', '/nowhere', '/v1/projects/a/%zz', '/docs']
    const ids = await Promise.all(paths.map((path) => idFor(path)))
    expect(new Set(ids).size).toBe(paths.length)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is the one that the client sent', async () => {
    expect(await idFor('/v1/api-standards', 'batch-7_run-1')).toBe('batch-7_run-1')
    expect(await idFor('/v1/users', 'batch-8')).toBe('batch-8')
  })

  it.each([
    'a b',
    'x'.repeat(300),
    '<script>',
  ])('is never what a log could misread', async (sent) => {
    expect(await idFor('/v1/api-standards', sent)).toMatch(/^[0-9a-f-]{36}$/)
  })
})
