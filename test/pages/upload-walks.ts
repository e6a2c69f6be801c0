import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ask, ofOdd } from './ask.ts'
import type { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'
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

/** Leads to the preview of a file, or to what is wrong with it. */
export async function chooseFile({ page }: Visitor, file: GivenFile | string): Promise<void> {
  const another = page.getByRole('button', { name: /another file$/ })
  if ((await another.count()) > 0) await another.click()
  await page.getByLabel(/^Choose a file/).setInputFiles(file)
}

/** Uploads what can be uploaded of a file. */
async function upload(visitor: Visitor, file: GivenFile, outcome: string): Promise<void> {
  const { page } = visitor
  await chooseFile(visitor, file)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const section = page.locator('section[aria-label=Upload][aria-busy=false]')
  await section.waitFor()
  const others = section.getByRole('button', { name: /^Upload the other/ })
  if ((await others.count()) > 0) await others.click()
  await section.getByText(outcome, { exact: true }).waitFor()
}

async function asUser({ page }: Visitor, url: string, key: string): Promise<void> {
  await page.goto(url)
  await page.evaluate((given) => sessionStorage.setItem('semblance-key', given), key)
  await page.goto(url)
}

const line = (text_id: string, vector: unknown, more: object = {}) =>
  JSON.stringify({ text_id, vector, text: `About ${text_id}`, ...more })

/** Files of each kind, with good rows and bad ones, to an empty project of three dimensions. */
export async function uploadsFiles(visitor: Visitor): Promise<void> {
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
  await upload(visitor, file, '3 texts stored, 2 refused')
  const refused = page.getByRole('table', { name: 'Refused rows' })
  assert.match(await refused.innerText(), /vectors of this project have 3\s+line 3\s+two/)
  assert.match(await refused.innerText(), /not JSON.*line 5/)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the list as CSV' }).click(),
  ])
  assert.match(await readFile(await saved.path(), 'utf8'), /^row,text_id,reason\r\nline 3,two,/)
  await visitor.inspect('upload-refused')
  await upload(visitor, file, '0 texts stored, 3 there already, 2 refused')
  await chooseFile(visitor, fileOf('more.jsonl.gz', gzipSync(line('one', [1, 1, 0]))))
  await page.getByRole('checkbox', { name: /^Replace/ }).check()
  await visitor.inspect('upload-columns')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText('0 texts stored, 1 replaced', { exact: true }).waitFor()
  const table = [
    'id;text;v0;v1;v2;ref.book;ref.verse;constructor;__proto__;code',
    'c1;"A ""quoted""\ntext; with signs";1;0;0.5;Mark;1;x;y;007',
    'c2;plain;0;1;0;Luke;2.0;;;12',
    'c3;too few',
    'c4;no number;0;x;0;Luke;3;;;13',
  ]
  await upload(visitor, fileOf('t.csv', table.join('\r\n')), '2 texts stored, 2 refused')
  assert.match(await refused.innerText(), /it has 2 cells.*line 5.*“v1” is not a number\s+line 6/s)
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
  await upload(visitor, fileOf('v.parquet', parquet), '2 texts stored, 1 refused')
  await page.route('**/v1/embeddings/**', (r) => r.fetch().then(() => r.abort()), { times: 1 })
  const lost = fileOf('lost.ndjson', line('lost', [1, 1, 1]))
  await upload(visitor, lost, '0 texts stored, 1 there already')
  await page.getByText('A response was lost').waitFor()
  assert.match(visitor.complaints.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/)
  await visitor.inspect('upload-lost')
  const isTold = async (file: GivenFile, words: string) => {
    await chooseFile(visitor, file)
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
  }
  const cut = gzipSync(line('cut', [1, 1, 0])).subarray(0, -12)
  await isTold(fileOf('cut.jsonl.gz', cut), 'damaged or cut off')
  await visitor.inspect('upload-unreadable')
  await isTold(fileOf('empty.csv', ''), 'The file has no rows')
  await isTold(fileOf('a.parquet', 'no parquet'), 'parquet')
  await isTold(fileOf('a.xlsx', 'PK'), 'CSV UTF-8')
  await isTold(fileOf('bad.ndjson', '{\n'.repeat(60)), 'line 1: it is not JSON')
  await isTold(fileOf('short.csv', 'id,vector\na,"[1,2]"\n'), '“vector” has 2 numbers')
  await chooseFile(visitor, fileOf('none.csv', 'id;text\na;b\n'))
  await page.getByText('this project has no model that could create them').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Upload', exact: true }).isDisabled())
  await visitor.inspect('upload-without-provider')
  await page.getByRole('button', { name: 'Choose another file' }).click()
}

/** A spreadsheet as Excel writes it: its columns are chosen, and the provider makes the vectors. */
const uploadsSpreadsheets: Walk = async (walked) => {
  const { visitor, page, url, key } = walked
  const textIn = { type: 'object', properties: { Jahr: { type: 'number' } } }
  await ask(walked, 'PUT', 'projects/ann/sheets', {
    ...{ instance_owner: 'ann', instance_handle: 'minilm' },
    metadataScheme: JSON.stringify(textIn),
  })
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes('/v1/embeddings/') && request.method() === 'POST') requests += 1
  })
  await visitor.open(`${url}/explore/ann/sheets/upload`)
  await visitor.giveKey(key)
  await page.getByLabel(/^Choose a file/).waitFor()
  await visitor.inspect('upload-choose')
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['id;text\n1;One'], 'dropped.csv'))
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  })
  await page.getByRole('heading', { name: 'dropped.csv' }).waitFor()
  const table = `Größe;Satz;Jahr\r\nkühl;${words};1999\r\nwarm;test;2001\r\nlau;unbekannt;2002\r\n`
  await chooseFile(visitor, fileOf('Sätze.csv', Buffer.from(table, 'latin1')))
  await page.getByRole('cell', { name: 'kühl' }).waitFor()
  await page.getByText('Read as windows-1252').waitFor()
  await page.getByRole('cell', { name: 'Sätze-2' }).waitFor()
  const create = page.getByRole('button', { name: 'Create vectors and upload' })
  assert.equal(await page.getByLabel('Satz').inputValue(), 'text')
  await page.getByLabel('Satz').selectOption('Metadata')
  await page.getByText(/^Choose “Text” above the column/).waitFor()
  await page.getByLabel('Satz').selectOption('Text')
  await page.getByText('Create them with all-MiniLM-L6-v2?').waitFor()
  await page.getByText(/The texts are sent to 127\.0\.0\.1:\d+, which may charge/).waitFor()
  await visitor.inspect('upload-question')
  assert.equal(requests, 0)
  await create.click()
  await page.getByText('2 texts stored, 1 refused', { exact: true }).waitFor()
  const refused = page.getByRole('table', { name: 'Refused rows' })
  assert.match(await refused.innerText(), /unknown words\s+line 4\s+Sätze-3/)
  await visitor.inspect('upload-done')
  const first = `embeddings/ann/sheets?text_id=${encodeURIComponent('Sätze-1')}`
  const stored = await ask(walked, 'GET', first)
  assert.deepEqual(stored.metadata, { Größe: 'kühl', Jahr: 1999 })
  await page.getByRole('link', { name: 'Search the texts' }).click()
  await visitor.rowsWhen((rows) => rows.join() === 'Sätze-1,Sätze-2')
  // What the server refuses of all rows alike is told once, and not tried with each.
  await page.getByRole('link', { name: 'Upload' }).click()
  requests = 0
  const many = Array.from({ length: 200 }, (_, at) => `a${at}\t${words}\tum ${at}`)
  const unicode = `\ufeffid\ttext\tJahr\n${many.join('\n')}`
  await chooseFile(visitor, fileOf('Unicode Text.txt', Buffer.from(unicode, 'utf16le')))
  await create.click()
  await page.getByRole('heading', { name: 'Stopped: the server refuses every row' }).waitFor()
  assert.match(await page.getByRole('alert').innerText(), /metadata.*number/)
  assert.ok(requests <= 5, `${requests} requests`)
  await visitor.inspect('upload-refused-by-server')
  await page.getByRole('button', { name: 'Change the columns' }).click()
  await page.getByLabel('Jahr').selectOption('Leave out')
  await create.click()
  await page.getByText('200 texts stored', { exact: true }).waitFor()
  // Some rows have vectors: whether the others get some is asked.
  await upload(
    visitor,
    fileOf(
      'some.json',
      JSON.stringify([
        { id: 'b1', text: words },
        { id: 'b2', vector: Array(384).fill(1), text: 'x' },
      ]),
    ),
    '1 text stored, 1 left out without a vector',
  )
  await page.getByRole('button', { name: 'Upload another file' }).click()
}

/** Sending pauses between two requests and goes on from there. */
const pausesUploads: Walk = async (walked) => {
  const { visitor, page, url, key } = walked
  await ask(walked, 'PUT', 'projects/ann/paused', ofOdd)
  await visitor.open(`${url}/explore/ann/paused/upload`)
  await visitor.giveKey(key)
  const lines = Array.from({ length: 1_200 }, (_, at) => line(`t${at}`, [1, at, 0]))
  await chooseFile(visitor, fileOf('many.ndjson', lines.join('\n')))
  const held: (() => Promise<void>)[] = []
  await page.route('**/v1/embeddings/**', (route) => void held.push(() => route.continue()))
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByRole('heading', { name: '0 of 1,200 texts' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Pausing after the texts on their way').waitFor()
  await visitor.inspect('upload-sending')
  await held[0]?.()
  await page.getByRole('heading', { name: 'Paused after 500 of 1,200 texts' }).waitFor()
  assert.equal(held.length, 1)
  await visitor.inspect('upload-paused')
  await page.unroute('**/v1/embeddings/**')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('1,200 texts stored', { exact: true }).waitFor()
  await page.getByText('1,200 texts', { exact: true }).waitFor()
}

/** What goes wrong on the way: no network, a key that ends, a project that is gone, somebody else's. */
const uploadsInTrouble: Walk = async (walked) => {
  const { visitor, page, url, key, adminKey } = walked
  await ask(walked, 'PUT', 'projects/ann/trouble', { ...ofOdd, public_read: true })
  const many = Array.from({ length: 6_000 }, (_, at) => line(`t${at}`, [1, at, 0]))
  const path = join(tmpdir(), 'semblance-pages-many.ndjson')
  await writeFile(path, many.join('\n'))
  const address = `${url}/explore/ann/trouble/upload`
  const start = async () => {
    await chooseFile(visitor, path)
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
  await page.getByText('6,000 texts stored', { exact: true }).waitFor()
  assert.match(visitor.complaints.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/)
  // Another tab has no key, and this one goes on.
  const tab = await visitor.newTab()
  await tab.goto(address)
  await tab.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await tab.close()
  const short = { key_handle: 'short', access: 'write' }
  const { api_key: named } = await ask(walked, 'POST', 'users/ann/keys', short)
  await asUser(visitor, address, named)
  let ended = false
  await page.unroute('**/v1/embeddings/**')
  await page.route('**/v1/embeddings/**', async (route) => {
    if (!ended) await ask(walked, 'DELETE', 'users/ann/keys/short')
    ended = true
    await route.continue()
  })
  await start()
  await page.getByRole('alert').filter({ hasText: 'credentials' }).waitFor()
  await page.getByRole('heading', { name: 'Stopped after 0 of 6,000 texts' }).waitFor()
  await page.getByRole('button', { name: 'Go on' }).waitFor()
  await page.unroute('**/v1/embeddings/**')
  await asUser(visitor, address, key)
  await page.getByLabel(/^Choose a file/).waitFor()
  await ask(walked, 'DELETE', 'projects/ann/trouble')
  await start()
  await page.getByRole('alert').filter({ hasText: 'not found' }).waitFor()
  const { api_key: bens } = await ask({ url, key: adminKey }, 'PUT', 'users/ben', {})
  await asUser(visitor, `${url}/explore/ann/verses/upload`, bens)
  await page.getByRole('heading', { name: 'Your key can only read here' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Upload' }).count(), 0)
  await asUser(visitor, `${url}/explore/ann/verses/manage`, bens)
  await page.getByRole('heading', { name: 'Your key cannot manage this project' }).waitFor()
}

export const uploadWalks: Readonly<Record<string, Walk>> = {
  uploadsSpreadsheets,
  pausesUploads,
  uploadsInTrouble,
}
