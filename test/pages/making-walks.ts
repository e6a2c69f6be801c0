import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { startProxy } from './site.ts'
import { Visitor } from './visitor.ts'
import type { Walk, Walked } from './walks.ts'
import { hostile, words } from './world.ts'

interface GivenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

const fileOf = (name: string, content: string | Buffer): GivenFile => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
})

async function upload({ page }: Visitor, file: GivenFile, outcome: RegExp): Promise<void> {
  await page.getByLabel(/^File/).setInputFiles(file)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const section = page.locator('section[aria-label=Upload][aria-busy=false]')
  await section.getByRole('heading').filter({ hasText: outcome }).waitFor()
}

async function asUser({ page }: Visitor, url: string, key: string): Promise<void> {
  await page.goto(url)
  await page.evaluate((given) => sessionStorage.setItem('semblance-key', given), key)
  await page.goto(url)
}

const line = (text_id: string, vector: unknown, more: object = {}) =>
  JSON.stringify({ text_id, vector, text: `About ${text_id}`, ...more })

/** A project is made, filled, published, shared and deleted, with one's key and behind a proxy. */
const makesProject: Walk = async ({ browser, url: service, key, adminKey, screenshots }) => {
  const proxy = await startProxy(service, '/deep/path')
  const { url } = proxy
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(`${url}/explore`)
  await page.getByRole('link', { name: 'New project' }).click()
  await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await visitor.giveKey(adminKey)
  await page.getByText('The administrator owns no projects').waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await visitor.giveKey(key)
  await page.getByLabel(/^Name/).fill('verses')
  await page.getByRole('radio', { name: /^My files have them/ }).check()
  await page.getByLabel(/^Model that made/).fill('My Model 1.0')
  await page.getByLabel('Dimensions').fill('3')
  await visitor.inspect('new-project')
  const create = page.getByRole('button', { name: 'Create the project' })
  await create.click()
  await page.getByRole('alert').filter({ hasText: "'ann/verses' already exists" }).waitFor()
  await page.getByLabel(/^Name/).fill('made here')
  await create.click()
  await page.getByRole('alert').filter({ hasText: 'project_handle' }).waitFor()
  await page.getByLabel(/^Name/).fill('made')
  await create.click()
  await page.waitForURL(`${url}/explore/ann/made/upload`)
  await page.getByText('This project has no embedding provider').waitFor()
  await visitor.inspect('upload')
  await uploadsFiles(visitor)
  await manages(visitor, { browser, url, key, adminKey, screenshots })
  await visitor.leave()
  proxy.stop()
}

async function uploadsFiles(visitor: Visitor): Promise<void> {
  const { page } = visitor
  const lines = [
    line('one', [1, 0, 0]),
    '',
    line('two', [1, 2]),
    line('line 5', [0, 1, 0], { metadata: { kind: 'b' } }),
    '{"text_id": "broken',
    line(`${hostile[1]}`, [0, 0, 1]),
  ]
  const file = fileOf('texts.ndjson', `\ufeff${lines.join('\n')}`)
  await upload(visitor, file, /^Done: 3 texts stored, 2 refused$/)
  const refused = page.getByRole('list', { name: 'Refused rows' }).getByRole('listitem')
  const said = await refused.allInnerTexts()
  assert.deepEqual(said.map((each) => each.split(':')[0]).sort(), ['line 3', 'line 5'])
  await visitor.inspect('upload-refused')
  await upload(visitor, file, /^Done: 0 texts stored, 3 there already, 2 refused$/)
  await page.getByRole('checkbox', { name: /^Replace/ }).check()
  const changed = fileOf('more.jsonl.gz', gzipSync(line('one', [1, 1, 0])))
  await upload(visitor, changed, /^Done: 0 texts stored, 1 replaced$/)
  await page.getByRole('checkbox', { name: /^Replace/ }).uncheck()
  const table = [
    'id;text;v0;v1;v2;ref.book;ref.verse;constructor;__proto__;code',
    'c1;"A ""quoted""\ntext; with signs";1;0;0.5;Mark;1;x;y;007',
    'c2;plain;0;1;0;Luke;2.0;;;12',
    'c3;too few',
    'c4;no number;0;x;0;Luke;3;;;13',
  ]
  await upload(visitor, fileOf('t.csv', table.join('\r\n')), /^Done: 2 texts stored, 2 refused$/)
  assert.match((await refused.allInnerTexts()).join(' '), /line 5: it has 2 cells.*line 6/s)
  const text = await page.evaluate(async () => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem('semblance-key')}` }
    return (await fetch('../../../v1/embeddings/ann/made?text_id=c1', { headers })).text()
  })
  const stored = JSON.parse(text)
  assert.equal(stored.text, 'A "quoted"\ntext; with signs')
  assert.deepEqual(stored.vector, [1, 0, 0.5])
  assert.deepEqual(
    JSON.stringify(Object.entries(stored.metadata).sort()),
    JSON.stringify(
      Object.entries(
        JSON.parse(
          '{"ref":{"book":"Mark","verse":1},"constructor":"x","__proto__":"y","code":"007"}',
        ),
      ).sort(),
    ),
  )
  const parquet = await readFile('test/fixtures/verses.parquet')
  await upload(visitor, fileOf('v.parquet', parquet), /^Done: 2 texts stored, 1 refused$/)
  await page.route('**/v1/embeddings/**', (r) => r.fetch().then(() => r.abort()), { times: 1 })
  const lost = fileOf('lost.ndjson', line('lost', [1, 1, 1]))
  await upload(visitor, lost, /^Done: 0 texts stored, 1 there already$/)
  await page.getByText('An answer was lost').waitFor()
  assert.match(visitor.complaints.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/)
  await visitor.inspect('upload-lost')
  await upload(visitor, fileOf('latin1.csv', Buffer.from('id,text\nx,\xe9', 'latin1')), /^Stopped/)
  await page.getByRole('alert').filter({ hasText: 'not UTF-8' }).waitFor()
  const cut = gzipSync(line('cut', [1, 1, 0])).subarray(0, -12)
  await upload(visitor, fileOf('cut.jsonl.gz', cut), /^Stopped/)
  await page.getByRole('alert').filter({ hasText: 'damaged or cut off' }).waitFor()
  assert.equal(await page.getByText('Upload the file again').count(), 0)
  await visitor.inspect('upload-unreadable')
  await upload(visitor, fileOf('empty.csv', ''), /^The file has no rows$/)
  await upload(visitor, fileOf('a.parquet', 'no parquet'), /^Stopped/)
  await page.getByRole('alert').waitFor()
  await upload(
    visitor,
    fileOf('bad.ndjson', '{\n'.repeat(60)),
    /^Done: 0 texts stored, 20 refused$/,
  )
  await page.getByText('Nothing more was read').waitFor()
}

async function manages(visitor: Visitor, { url, adminKey }: Walked): Promise<void> {
  const headers = { Authorization: `Bearer ${adminKey}` }
  await fetch(`${url}/v1/users/ben`, { method: 'PUT', headers, body: '{}' })
  const { page } = visitor
  const isPublic = async () => (await fetch(`${url}/v1/projects/ann/made`)).ok
  await page.getByRole('link', { name: 'ann/made' }).click()
  const meaning = page.getByRole('option', { name: 'Meaning (no provider)', exact: true })
  await meaning.waitFor({ state: 'attached' })
  await page.getByRole('link', { name: 'Manage' }).click()
  await page.getByText('Nobody.').waitFor()
  await page.getByText('there is no search by meaning').waitFor()
  await page.getByRole('button', { name: 'Make it public' }).click()
  await page.getByText(/read, search and export 8 texts/).waitFor()
  await visitor.inspect('manage')
  assert.equal(await isPublic(), false)
  await page.getByRole('button', { name: 'Publish ann/made' }).click()
  await page.getByText('Public: everybody').waitFor()
  assert.equal(await isPublic(), true)
  await page.getByRole('button', { name: 'Make it private' }).click()
  await page.getByText('Private: only you').waitFor()
  assert.equal(await isPublic(), false)
  await page.getByLabel('User').fill('nobody')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: "'nobody'" }).waitFor()
  await page.getByLabel('User').fill('ben')
  await page.getByLabel('Role').selectOption('editor')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByText('ben is now an editor.').waitFor()
  await page.getByRole('button', { name: 'End the share of ben' }).click()
  await page.getByText('Nobody.').waitFor()
  const remove = page.getByRole('button', { name: 'Delete ann/made' })
  await page.getByLabel(/^Type ann/).fill('ann/mad')
  assert.ok(await remove.isDisabled())
  await page.getByLabel(/^Type ann/).fill('ann/made')
  await remove.click()
  await page.waitForURL(`${url}/explore`)
  await page.getByRole('heading', { name: 'Public projects' }).waitFor()
}

/** What goes wrong on the way: no network, a key that ends, a project that is gone, somebody else's. */
const uploadsInTrouble: Walk = async ({ browser, url, key, adminKey }) => {
  const send = async (by: string, method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/v1/${path}`, { method, headers, body: JSON.stringify(body) })
    return JSON.parse(await answer.text())
  }
  const instance = { instance_owner: 'ann', instance_handle: 'odd' }
  await send(key, 'PUT', 'projects/ann/trouble', { ...instance, public_read: true })
  const visitor = await Visitor.come(browser)
  const { page } = visitor
  const many = Array.from({ length: 6_000 }, (_, at) => line(`t${at}`, [1, at, 0]))
  const path = join(tmpdir(), 'semblance-pages-many.ndjson')
  await writeFile(path, many.join('\n'))
  const address = `${url}/explore/ann/trouble/upload`
  const start = async () => {
    await page.getByLabel(/^File/).setInputFiles(path)
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
  }
  await asUser(visitor, address, key)
  // The network fails for a while: the upload waits, and goes on by itself.
  let failures = 2
  await page.route('**/v1/embeddings/**', (route) => {
    failures -= 1
    return failures === 0 ? route.abort() : route.continue()
  })
  await start()
  await page.getByText(/does not answer.*Trying again/).waitFor()
  await page.getByText('Done: 6,000 texts stored').waitFor()
  assert.match(visitor.complaints.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/)
  // Another tab has no key, and this one goes on.
  const tab = await visitor.newTab()
  await tab.goto(address)
  await tab.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await tab.close()
  const { api_key: named } = await send(key, 'POST', 'users/ann/keys', {
    ...{ key_handle: 'short', access: 'write' },
  })
  await asUser(visitor, address, named)
  let ended = false
  await page.unroute('**/v1/embeddings/**')
  await page.route('**/v1/embeddings/**', async (route) => {
    if (!ended) await send(key, 'DELETE', 'users/ann/keys/short')
    ended = true
    await route.continue()
  })
  await start()
  await page.getByRole('alert').filter({ hasText: 'credentials' }).waitFor()
  await page.getByText('Upload the file again to go on').waitFor()
  await page.unroute('**/v1/embeddings/**')
  await asUser(visitor, address, key)
  await page.getByLabel(/^File/).waitFor()
  await send(key, 'DELETE', 'projects/ann/trouble')
  await start()
  await page.getByRole('alert').filter({ hasText: 'not found' }).waitFor()
  await send(key, 'PUT', 'projects/ann/asked', { ...instance, instance_handle: 'minilm' })
  await asUser(visitor, `${url}/explore/ann/asked/upload`, key)
  const wordless = fileOf('words.ndjson', JSON.stringify({ text_id: 'asked', text: words }))
  await upload(visitor, wordless, /^Done: 0 texts stored, 1 refused$/)
  await page.getByText(/line 1.*embed=true/).waitFor()
  await page.getByRole('checkbox', { name: /provider/ }).check()
  await upload(visitor, wordless, /^Done: 1 text stored$/)
  const { api_key: bens } = await send(adminKey, 'PUT', 'users/ben', {})
  await asUser(visitor, `${url}/explore/ann/verses/upload`, bens)
  await page.getByRole('heading', { name: 'Your key can only read here' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Upload' }).count(), 0)
  await asUser(visitor, `${url}/explore/ann/verses/manage`, bens)
  await page.getByRole('heading', { name: 'Your key cannot manage this project' }).waitFor()
  await visitor.leave()
}

export const makingWalks: Readonly<Record<string, Walk>> = { uploadsInTrouble, makesProject }
