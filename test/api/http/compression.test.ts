import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { decodedText } from '../../support/decoded-text.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const { app } = await testApp()

const get = (path: string, accepted?: string, init: RequestInit = {}) =>
  app.request(path, {
    ...init,
    headers: accepted === undefined ? {} : { 'Accept-Encoding': accepted },
  })
const codingOf = ({ headers }: Response) => headers.get('content-encoding')
const large = '/openapi.json'
const small = '/livez'

describe('a large answer', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', null],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0, br', null],
    ['deflate, zstd', null],
    ['*', 'gzip'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['identity', null],
    ['identity, gzip', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    [' ,, gzip ; q=0.8', 'gzip'],
  ])('to Accept-Encoding %j is sent in %j', async (accepted, coding) => {
    const answer = await get(large, accepted)
    expect([answer.status, codingOf(answer)]).toEqual([200, coding])
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    expect(await decodedText(answer)).toBe(await (await get(large)).text())
  })

  it('has its other headers', async () => {
    const plain = await get(large)
    const encoded = await get(large, 'gzip')
    const without = (headers: Headers) =>
      [...headers].filter(([name]) => name !== 'content-encoding' && name !== 'x-request-id')
    expect(without(encoded.headers)).toEqual(without(plain.headers))
    expect((await encoded.arrayBuffer()).byteLength).toBeLessThan(
      (await plain.arrayBuffer()).byteLength / 4,
    )
  })

  it('to HEAD has the headers of GET and no body', async () => {
    const answer = await get(large, 'gzip', { method: 'HEAD' })
    expect([answer.status, codingOf(answer), answer.headers.get('vary')]).toEqual([
      200,
      'gzip',
      'Accept-Encoding',
    ])
    expect(await answer.text()).toBe('')
  })

  it('of an error is compressed as well', async () => {
    const path = `/${'nowhere/'.repeat(200)}`
    const answer = await get(path, 'gzip')
    expect([answer.status, codingOf(answer)]).toEqual([404, 'gzip'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await decodedText(answer)).toBe(await (await get(path)).text())
  })
})

it('a small answer goes out as it is', async () => {
  const answer = await get(small, 'gzip, br')
  expect([codingOf(answer), await answer.json()]).toEqual([null, { status: 'ok' }])
  expect(answer.headers.get('vary')).toBe('Accept-Encoding')
  const error = await get('/nowhere', 'gzip, br')
  expect([error.status, codingOf(error)]).toEqual([404, null])
})

describe('pages of embeddings', () => {
  let project: Project
  const megabyte = 'x'.repeat(1024 * 1024)
  beforeAll(async () => {
    project = await newProject({ public_read: true })
    for (const part of ['a', 'b', 'c', 'd']) {
      const items = [0, 1, 2].map((index) => ({
        ...embedding(`${part}${index}`, [1, index, 0]),
        text: megabyte,
      }))
      await upload(project, ...items)
    }
  })

  it('that come in parts are compressed', async () => {
    const path = `${project.path('embeddings')}?limit=200`
    const answer = await get(path, 'gzip')
    expect(codingOf(answer)).toBe('gzip')
    expect(await decodedText(answer)).toBe(await (await get(path)).text())
  })

  it('are all the same for a crowd', async () => {
    const path = `${project.path('embeddings')}?limit=2`
    const plain = await (await get(path)).text()
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(path, 'gzip')))
    for (const answer of answers) expect(await decodedText(answer)).toBe(plain)
  })
})
