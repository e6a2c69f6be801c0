import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { structured } from '../support/data/indexed.ts'
import { embedding } from '../support/factories.ts'
import {
  findPostgresTools,
  type PostgresTools,
  runWithFile,
} from '../support/servers/postgres-tools.ts'
import { copyFolder } from '../support/servers/prepared.ts'
import { node, toItsEnd } from '../support/servers/program.ts'
import { migration, rotation, withKey, wrongKey } from '../support/servers/rotation.ts'
import {
  createProject,
  exchange,
  request,
  type Server,
  startServer,
  stop,
} from '../support/servers/server.ts'
import {
  databaseUrlOf,
  embeddedSite,
  givenKeys,
  postgresSite,
  preparedSite,
  type Site,
} from '../support/servers/site.ts'

const dimensions = 96
const documents = structured(300, dimensions)
/** Above it a project earns an index; ours has 28,800 components. */
const budget = { SERVICE_EXACTBUDGET: '20000', SERVICE_INDEXDELAY: '0' }
const withBudget = (site: Site): Site => ({ ...site, env: { ...site.env, ...budget } })

/** Two projects of ann's, one of them large and with an index; an instance with a provider's key. */
async function fill(server: Server): Promise<void> {
  await createProject(server, dimensions)
  const instance = '/v1/llm-services/ann/model'
  const key = { api_key_encrypted: 'the-key-of-the-provider' }
  expect(await request(server, 'PATCH', instance, key)).toMatchObject({ status: 200 })
  const small = {
    instance_owner: 'ann',
    instance_handle: 'model',
    public_read: true,
    metadataScheme: '{"required":["page"]}',
  }
  expect(await request(server, 'PUT', '/v1/projects/ann/small', small)).toMatchObject({
    status: 201,
  })
  const all = documents.map(({ text_id, vector, metadata }) =>
    embedding(text_id, [...vector], { metadata }),
  )
  const [first = {}] = all
  const odd = { ...first, text: 'Ünïcode 😀\n', metadata: { page: 1e21, __proto__: null } }
  for (const [project, embeddings] of Object.entries({ texts: all, small: [odd] })) {
    const path = `/v1/embeddings/ann/${project}`
    expect(await request(server, 'POST', path, { embeddings })).toMatchObject({ status: 201 })
  }
}

const [{ text_id: textId, vector } = { text_id: '', vector: [] }] = documents
const oneText = encodeURIComponent(textId)
const pages = documents
  .map((_, index) => index)
  .filter((index) => index % 200 === 0)
  .map((offset) => `/v1/embeddings/ann/texts?limit=200&offset=${offset}`)

/** What clients see, which must be the same in every byte. */
async function pictureOf(server: Server): Promise<string[]> {
  const { body: ann } = await request(server, 'PUT', '/v1/users/ann', {})
  const key = String(Reflect.get(Object(ann), 'api_key'))
  const asAnn = { ...server, key }
  const reads = [
    ...['/v1/users/ann', '/v1/llm-definitions/_system', '/v1/llm-services/ann', '/v1/projects/ann'],
    '/v1/embeddings/ann/small',
    ...pages,
    `/v1/similars/ann/texts/${oneText}?exact=true&limit=200&threshold=0`,
  ]
  const texts = [key]
  for (const path of reads) {
    const answer = await exchange(asAnn, 'GET', path)
    expect(answer.status, path).toBe(200)
    texts.push(withoutUrl(answer.text, server))
  }
  const path = '/v1/similars/ann/texts?exact=true&limit=200'
  const byVector = await exchange(asAnn, 'POST', path, { vector })
  return [...texts, withoutUrl(byVector.text, server)]
}

const withoutUrl = (text: string, { url }: Server) => text.replaceAll(url, '')

/** The project with its index: it is used, and the data are sound. */
async function expectIndexed(server: Server, isIndexed: boolean): Promise<void> {
  const search = () => exchange(server, 'GET', `/v1/similars/ann/texts/${oneText}`)
  const mode = async () => (await search()).headers.get('x-search-mode')
  await expect.poll(mode, { interval: 200 }).toBe(isIndexed ? 'approximate' : 'exact')
  const exact = await exchange(server, 'GET', `/v1/similars/ann/texts/${oneText}?exact=true`)
  expect(exact.headers.get('x-search-mode')).toBe('exact')
  const [best] = Object(exact.body).results
  expect(Object((await search()).body).results[0]).toEqual(best)
  const small = await exchange(server, 'GET', `/v1/similars/ann/small/${oneText}`)
  expect(small.headers.get('x-search-mode')).toBe('exact')
  await expectSound(server)
}

async function expectSound(server: Server): Promise<void> {
  expect((await request(server, 'GET', '/v1/admin/sanity-check')).body).toMatchObject({
    status: 'PASSED',
    issues: [],
    checked: { projects: 2, embeddings: 301, schemes: 1, metadata: 1 },
  })
}

/** Fills a site, has it backed up and restored at another, and compares. */
async function expectRestored(
  site: Site,
  backUp: () => Promise<Site>,
  isIndexed: boolean,
): Promise<void> {
  const first = await startServer(node, site)
  await fill(first)
  await expectIndexed(first, isIndexed)
  const before = await pictureOf(first)
  await stop(first)
  const restored = await backUp()
  const other = withKey(restored, `${givenKeys.ENCRYPTION_KEY}, but another`)
  expect(await toItsEnd(migration(other))).toEqual(wrongKey)
  const second = await startServer(node, restored)
  // The index came along: nobody has had the time to build it.
  await expectSound(second)
  expect(await pictureOf(second)).toEqual(before)
  await expectIndexed(second, isIndexed)
  await stop(second)
  // It opens every secret of the database, the provider's key as well.
  const { exit, stdout } = await toItsEnd(rotation(restored))
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^Sealed the keys of 1 users and 1 instances with the new key\n/)
}

describe('a backup of the embedded database', () => {
  it('is a copy of the folder of a stopped server, and works elsewhere', async () => {
    const site = withBudget(await preparedSite())
    const backUp = async () => {
      const elsewhere = withBudget(await embeddedSite())
      await copyFolder(join(site.folder, 'data'), join(elsewhere.folder, 'data'))
      return elsewhere
    }
    await expectRestored(site, backUp, false)
  })
})

const tools = await findPostgresTools()

describe.skipIf(tools === undefined)('a backup of PostgreSQL', () => {
  const { dump, restore }: PostgresTools = tools ?? { dump: '', restore: '' }

  it('is what pg_dump writes, and pg_restore puts it into an empty database', async () => {
    const site = withBudget(await postgresSite())
    const backUp = async () => {
      const elsewhere = withBudget(await postgresSite())
      const file = join(site.folder, 'semblance.dump')
      await runWithFile(dump, ['-Fc', '-d', databaseUrlOf(site)], { to: file })
      const whole = ['--no-comments', '--single-transaction', '-d', databaseUrlOf(elsewhere)]
      await runWithFile(restore, whole, { from: file })
      return elsewhere
    }
    await expectRestored(site, backUp, true)
  })
})
