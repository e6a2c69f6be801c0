import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { decodedText } from '../../support/decoded-text.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'
import { waitUntil } from '../../support/wait.ts'

const { app } = await testApp()
const ask = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
const scriptOf = async (page: string) =>
  new URL(/src="([^"]*\.js)"/.exec(await (await ask(page)).text())?.[1] ?? '', `http://host${page}`)
    .pathname

const pageScript = await scriptOf('/explore')

it.each([
  ...['/openapi.json', '/openapi.yaml', '/', '/docs', '/docs/page.js', '/llms.txt', '/explore'],
  ...['/docs/swagger-ui-dist/swagger-ui-bundle.js', '/docs/guide', '/docs/guide/words'],
  ...['/docs/guide/words.md', '/docs/guide/explore.png', '/docs/guide/index.json'],
  pageScript,
])('what a client has already is not sent again: %s', async (path) => {
  const headers = { Accept: 'text/html', 'Accept-Encoding': 'gzip' }
  const first = await ask(path, headers)
  const tag = first.headers.get('etag') ?? ''
  expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
  const text = await decodedText(first)
  expect(await decodedText(await ask(path, headers))).toBe(text)
  expect(await decodedText(await ask(path, { Accept: 'text/html' }))).toBe(text)
  for (const kept of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    const again = await ask(path, { ...headers, 'If-None-Match': kept })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, ''])
  }
  for (const other of ['"other"', tag.slice(3, -1), '']) {
    expect((await ask(path, { ...headers, 'If-None-Match': other })).status).toBe(200)
  }
})

describe.each(['export', 'map'])('the %s of a project', (name) => {
  it('is sent again when its embeddings have changed', async () => {
    const project = await newProject({ public_read: true })
    await upload(project, embedding('a', [1, 2, 3]), embedding('b', [1, 2, 2]))
    const path = `${project.path()}/${name}`
    const get = (headers: Record<string, string> = {}, query = '') =>
      waitUntil(async () => {
        const answer = await call('GET', path + query, { headers })
        return answer.status === 202 ? undefined : answer
      })
    const tag = (await get()).headers.get('etag') ?? ''
    const kept = { 'If-None-Match': tag }
    expect([(await get(kept)).status, (await get(kept)).body]).toEqual([304, ''])
    expect((await call('HEAD', path)).headers.get('etag')).toBe(tag)
    const asked = name === 'map' ? '?field=a' : '?include=text'
    expect((await get(kept, asked)).status).toBe(200)
    expect((await call('GET', path, { headers: kept, key: 'smb_nobodys' })).status).toBe(401)
    await upload(project, embedding('c', [3, 2, 1]))
    expect((await get(kept)).status).toBe(200)
  })
})

it('a portable file has no tag, since it shows the instance as well', async () => {
  const project = await newProject()
  const path = `${project.path()}/export?format=semblance`
  const answer = await call('GET', path, { key: project.owner.key })
  expect([answer.status, answer.headers.has('etag')]).toEqual([200, false])
})
