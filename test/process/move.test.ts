import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { node, type Outcome, refused, semblance, toItsEnd } from '../support/servers/program.ts'
import { filledSite, newKey, oldKeyOf, secrets, withKey } from '../support/servers/rotation.ts'
import { request, type Server, startServer, stop } from '../support/servers/server.ts'
import {
  databaseUrl,
  databaseUrlOf,
  embeddedSite,
  givenKeys,
  postgresSite,
  type Site,
} from '../support/servers/site.ts'
import { providerKey, putAnn } from '../support/servers/stored-secrets.ts'

/** What no export by the API could carry over is here: named keys, budgets, dates, ids that are free again. */
async function fill(server: Server): Promise<string> {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await request(server, method, path, body)
    expect(answer.status, `${method} ${path}`).toBeLessThan(300)
    return answer.body
  }
  const items = Array.from({ length: 300 }, (_, index) => ({
    text_id: `id ${index % 7}/${index}'\\"é`,
    instance_handle: 'model',
    vector_dim: 3,
    vector: [Math.fround(Math.sin(index + 1)), -0, 1e-7 * (index + 1)],
    ...(index % 3 !== 0 && { text: `text ${index}\n\t\\N` }),
    ...(index % 2 !== 0 && { metadata: { n: index, 'a.b': ['x', null, { deep: '\u2028' }] } }),
  }))
  await ask('POST', '/v1/embeddings/ann/texts', { embeddings: items })
  await ask('DELETE', `/v1/embeddings/ann/texts/${encodeURIComponent(items[9]?.text_id ?? '')}`)
  await ask('PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.org' })
  await ask('POST', '/v1/projects/ann/texts/share', { share_with_handle: 'bob', role: 'editor' })
  await ask('POST', '/v1/llm-services/ann/model/share', {
    share_with_handle: 'bob',
    role: 'reader',
  })
  await ask('PATCH', '/v1/projects/ann/texts', {
    ...{ public_read: true, text_queries: 'members', text_query_budget: { requests: 7 } },
    metadataScheme: JSON.stringify({ type: 'object' }),
  })
  await ask('POST', '/v1/api-standards', {
    ...{ api_standard_handle: 'own', description: 'Own', key_method: 'none', key_field: '' },
  })
  await ask('PUT', '/v1/users/gone', {})
  await ask('DELETE', '/v1/users/gone')
  const named = { key_handle: 'laptop', access: 'read', projects: ['ann/texts'] }
  const issued = await ask('POST', '/v1/users/ann/keys', named)
  return JSON.stringify(issued)
}

const paths = [
  ...['/v1/users', '/v1/users/ann', '/v1/users/bob', '/v1/users/ann/keys', '/v1/api-standards'],
  ...[
    '/v1/llm-services/ann',
    '/v1/llm-services/ann/model/shared-with',
    '/v1/llm-definitions/_system',
  ],
  ...['/v1/projects/ann', '/v1/projects/ann/texts', '/v1/projects/ann/texts/shared-with'],
  "/v1/similars/ann/texts/id%200%2F0'%5C%22%C3%A9?count=5",
]

/** All that can be read, as it was sent. */
async function readAll({ url, key }: Server): Promise<string[]> {
  const read = async (path: string) => {
    const response = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })
    // A file says who has written it; and the named key is used here.
    const text = (await response.text()).replaceAll(url, '').replace(/,"last_used_at":"[^"]*"/, '')
    return `${path} ${response.status}\n${text}`
  }
  const exports = ['ndjson', 'semblance'].map(
    (format) => `/v1/projects/ann/texts/export?format=${format}`,
  )
  const all: string[] = []
  for (const path of [...paths, ...exports]) all.push(await read(path))
  return all
}

async function expectSame(server: Server, before: Seen): Promise<void> {
  expect(await readAll(server)).toEqual(before.all)
  expect(await putAnn(server)).toEqual(before.ann)
  const { api_key: key } = JSON.parse(before.issued)
  const me = await request({ ...server, key }, 'GET', '/v1/me')
  expect(me.status).toBe(200)
  // Ids go on behind those that were ever given.
  expect((await request(server, 'PUT', '/v1/users/next', {})).status).toBe(201)
  expect((await request(server, 'DELETE', '/v1/users/next')).status).toBe(200)
}

interface Seen {
  readonly all: readonly string[]
  readonly ann: unknown
  readonly issued: string
}

const move = (site: Site, to: string, NEW_ENCRYPTION_KEY = newKey): Promise<Outcome> =>
  toItsEnd(
    semblance(node, ['move', '--to', to], { ...site, env: { ...site.env, NEW_ENCRYPTION_KEY } }),
  )

const next =
  'Users keep their keys. Next: start there with ENCRYPTION_KEY, the one that was given as NEW_ENCRYPTION_KEY\n'

/** A site that a server has filled, and what it has answered in the end. */
async function filled(): Promise<{ site: Site; before: Seen }> {
  const site = await filledSite()
  const server = await startServer(node, site)
  const issued = await fill(server)
  const ann = await putAnn(server)
  const before = { all: await readAll(server), ann, issued }
  const other = await embeddedSite()
  const running = await move(site, join(other.folder, 'data'))
  expect(running).toMatchObject({ exit: 1, stdout: '' })
  expect(running.stderr).toMatch(/ is in use by process \d+; stop it/)
  expect(await readdir(other.folder)).toEqual([])
  await stop(server)
  return { site, before }
}

describe('a move from folder to folder', () => {
  it('takes everything along, under the new key', async () => {
    const { site, before } = await filled()
    const other = await embeddedSite()
    const there = join(other.folder, 'data')
    const { exit, stdout, stderr } = await move(site, there)
    expect(exit, stderr).toBe(0)
    expect(stdout).toBe(`Moved 2 users, 1 projects and 299 embeddings to ${there}\n${next}`)
    expect(stderr).toContain('Not moved: the administrator key')
    expect(await readdir(there)).not.toContain('encryption.key')
    const server = await startServer(node, withKey(other, newKey))
    await expectSame(server, before)
  })

  it('is refused without both keys, with a wrong one, onto itself, and where anything is stored', async () => {
    const [site, other] = [await filledSite(), await filledSite()]
    const given = withKey(site, givenKeys.ENCRYPTION_KEY)
    const there = join(site.folder, 'there')
    const wrong =
      'ENCRYPTION_KEY is not the key that this database was set up with; start with the original key'
    expect(await move(site, there, '')).toEqual(
      refused('NEW_ENCRYPTION_KEY is missing; set it to at least 32 characters'),
    )
    expect(await move(given, there)).toEqual(refused(wrong))
    expect(existsSync(there)).toBe(false)
    expect(await move(site, 'data/../data')).toEqual(
      refused('--to: this is the source itself; name a new database, or a new folder'),
    )
    const filledTarget = await move(site, join(other.folder, 'data'))
    expect(filledTarget).toMatchObject({ exit: 1, stdout: '' })
    expect(filledTarget.stderr).toMatch(
      /^semblance: --to: the database is not empty: its table "\w+" has rows; name a new database, or a new folder\n$/,
    )
    expect((await secrets(other, await oldKeyOf(other))).texts).toContain(providerKey)
  })
})

describe.skipIf(databaseUrl === undefined)('a move', () => {
  it('to PostgreSQL with the same key, and back with another, keeps everything', async () => {
    const { site, before } = await filled()
    const key = await oldKeyOf(site)
    const middle = withKey(await postgresSite(), key)
    const url = databaseUrlOf(middle)
    const there = await move(site, url, key)
    expect(there.exit, there.stderr).toBe(0)
    expect(there.stdout).toContain('Moved 2 users, 1 projects and 299 embeddings to the database ')
    expect(there.stdout).toContain(next)
    const server = await startServer(node, middle)
    await expectSame(server, before)

    const last = await embeddedSite()
    const folder = join(last.folder, 'data')
    const running = await move(middle, folder)
    expect(running.stderr).toMatch(/^semblance: other servers are running on this database \(\d+ /)
    const onTarget = await move(site, url)
    expect(onTarget.stderr).toMatch(
      /^semblance: --to: other servers are running on this database \(\d+ /,
    )
    await stop(server)
    expect(await move(middle, url)).toEqual(
      refused('--to: this is the source itself; name a new database, or a new folder'),
    )
    expect(await readdir(last.folder)).toEqual([])

    const back = await move(middle, folder)
    expect(back.exit, back.stderr).toBe(0)
    const moved = withKey(last, newKey)
    expect((await secrets(moved, newKey)).texts).toContain(providerKey)
    await expectSame(await startServer(node, moved), before)
  })

  it('into a database of another key is refused', async () => {
    const site = await filledSite()
    const target = await postgresSite()
    expect(await toItsEnd(semblance(node, ['migrate'], target))).toMatchObject({ exit: 0 })
    const wrong =
      '--to: ENCRYPTION_KEY is not the key that this database was set up with; start with the original key'
    expect(await move(site, databaseUrlOf(target))).toEqual(refused(wrong))
    const { ENCRYPTION_KEY: itsKey } = givenKeys
    const moved = await move(site, databaseUrlOf(target), itsKey)
    expect(moved.exit, moved.stderr).toBe(0)
    expect((await secrets(target, itsKey)).texts).toContain(providerKey)
  })
})
