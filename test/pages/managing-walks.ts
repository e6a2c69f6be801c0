import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { ask, linesOf, ofOdd } from './ask.ts'
import { inDialog, statusOf, takeIssued } from './key-walks.ts'
import { Visitor } from './visitor.ts'
import type { Walk, Walked } from './walks.ts'

const said = ({ page }: Visitor, words: string) =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor()

const press = ({ page }: Visitor, name: string) =>
  page.getByRole('button', { name, exact: true }).click()

/** Each panel of a project, until it is emptied and handed over. */
const managesProjects: Walk = async (walked) => {
  const { visitor, page, url, key, adminKey } = walked
  await ask({ url, key: adminKey }, 'PUT', 'users/dora', {})
  await ask(walked, 'PUT', 'projects/ann/tended', ofOdd)
  const texts = ['a', 'b', 'c'].map((text_id, at) => ({ text_id, vector: [1, at, 0] }))
  await ask(walked, 'POST', 'embeddings/ann/tended', linesOf(texts))
  const read = () => ask(walked, 'GET', 'projects/ann/tended')
  await visitor.open(`${url}/explore/ann/tended/manage`)
  await visitor.giveKey(key)
  await page.getByText('http://127.0.0.1').waitFor()
  await page.getByText('Nobody.').waitFor()
  await visitor.inspect('manage')
  await page.getByLabel('What it is about').fill('Three texts')
  await press(visitor, 'Save the description')
  await said(visitor, 'Saved the description')
  await page.getByLabel('JSON Schema of the metadata').fill('{"type": 5}')
  await press(visitor, 'Save the scheme')
  await page.getByRole('alert').filter({ hasText: 'not a valid JSON Schema' }).waitFor()
  await page.getByLabel('JSON Schema of the metadata').fill('{"type": "object"}')
  await press(visitor, 'Save the scheme')
  await said(visitor, 'Saved the scheme')
  await page.getByLabel('Fields, one on each line').fill('ref.book\n\n ref.verse ')
  await press(visitor, 'Save the reading order')
  await said(visitor, 'Saved the reading order')
  await page.getByLabel('Who may search by meaning').selectOption('members')
  await page.getByLabel('Texts per day', { exact: true }).fill('5')
  await press(visitor, 'Save who may search')
  await said(visitor, 'Saved who may search')
  const { description, metadataScheme, text_queries, text_query_budget } = await read()
  assert.deepEqual([description, metadataScheme], ['Three texts', '{"type": "object"}'])
  assert.deepEqual([text_queries, text_query_budget.requests], ['members', 5])
  await issuesKey(visitor, url)
  await changesModel(visitor)
  assert.equal((await read()).description, 'Three texts')
  await exportsFiles(visitor, walked)
  await visitor.open(`${url}/explore/ann/tended/manage`)
  await press(visitor, 'Empty the project')
  await page.getByText('3 texts with vectors').waitFor()
  await page.getByLabel(/^Type ann/).fill('ann/tended')
  await visitor.inspect('manage-empty')
  await press(visitor, 'Empty ann/tended')
  await said(visitor, 'Emptied ann/tended: 3 texts gone')
  assert.equal((await read()).embedding_count, 0)
  await page.getByLabel('New owner').fill('dora')
  await press(visitor, 'Hand it over…')
  await visitor.inspect('manage-hand-over')
  await press(visitor, 'Hand ann/tended over to dora')
  await page.waitForURL(`${url}/explore`)
  await said(visitor, 'ann/tended now belongs to dora')
  assert.equal(await statusOf(`${url}/v1/projects/dora/tended`, key), 403)
}

async function issuesKey(visitor: Visitor, url: string): Promise<void> {
  const { page } = visitor
  await press(visitor, 'New key')
  await page.getByLabel('Name', { exact: true }).fill('only-here')
  await visitor.inspect('manage-new-key')
  await press(visitor, 'Issue the key')
  await page.getByRole('heading', { name: 'The key only-here' }).waitFor()
  await page.getByRole('cell', { name: 'only-here', exact: true }).waitFor()
  await visitor.inspect('manage-key')
  const issued = await takeIssued(visitor)
  assert.equal(await statusOf(`${url}/v1/projects/ann/tended`, issued), 200)
  assert.equal(await statusOf(`${url}/v1/projects/ann/secret`, issued), 403)
  await press(visitor, 'Revoke only-here')
  await inDialog(visitor, 'Revoke only-here')
  await said(visitor, 'Revoked only-here')
}

/** The provider gets another key; what does not fit the vectors is refused. */
async function changesModel(visitor: Visitor): Promise<void> {
  const { page } = visitor
  await page.getByLabel('New key of the provider').fill('another-key')
  await press(visitor, 'Replace the key')
  await said(visitor, 'Replaced the key')
  await page.getByText('stored', { exact: true }).waitFor()
  await press(visitor, 'Use another model or provider')
  await page.getByText(/3 texts stay with their vectors/).waitFor()
  await page.getByLabel('Model', { exact: true }).selectOption('ann/minilm')
  await press(visitor, 'Use this model')
  await page.getByRole('alert').filter({ hasText: 'embeddings of 3 dimensions' }).waitFor()
  await visitor.inspect('manage-model')
  await page.getByRole('radio', { name: /^My files have them/ }).check()
  await page.getByLabel('Model that made the vectors').fill('the same')
  await page.getByLabel('Dimensions').fill('3')
  await press(visitor, 'Use this model')
  await said(visitor, 'Changed the model')
  await page.getByText('ann/the-same').waitFor()
}

/** Writes where the walk can read it, as if somebody had chosen a file. */
const chooses = `showSaveFilePicker = async ({ suggestedName }) =>
  (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })`

const sizeOnDisk = ({ page }: Visitor, name: string) =>
  page.evaluate(async (file) => {
    const folder = await navigator.storage.getDirectory()
    return (await (await folder.getFileHandle(file)).getFile()).size
  }, name)

async function exportsFiles(visitor: Visitor, { url }: Walked): Promise<void> {
  const { page } = visitor
  await page.evaluate('delete window.showSaveFilePicker')
  const [saved] = await Promise.all([page.waitForEvent('download'), press(visitor, 'Export')])
  assert.equal(saved.suggestedFilename(), 'tended.ndjson')
  const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n')
  const { text_id, vector } = JSON.parse(lines[2] ?? '')
  assert.deepEqual([text_id, vector], ['c', [1, 2, 0]])
  await visitor.open(`${url}/explore/ann/verses/manage`)
  await page.evaluate(chooses)
  await page.getByLabel('What of the 3,779 texts').selectOption('2')
  await press(visitor, 'Export')
  await said(visitor, 'Saved verses.semblance')
  assert.ok((await sizeOnDisk(visitor, 'verses.semblance')) > 7_000_000)
  await visitor.slowDown(20_000)
  await page.getByLabel('What of the 3,779 texts').selectOption('0')
  await press(visitor, 'Export')
  await page.getByText(/^[1-9]\d* of 3,779 texts/).waitFor()
  // What turns would not come to rest.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await visitor.inspect('manage-export')
  await press(visitor, 'Stop')
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await visitor.slowDown(-1)
  assert.equal(await sizeOnDisk(visitor, 'verses.ndjson'), 0)
  await page.getByRole('link', { name: 'download the NDJSON' }).waitFor()
}

/** A user is made, gets another key, and is deleted with what belongs to the user. */
const administersServer: Walk = async ({ visitor, page, browser, url, key, adminKey }) => {
  await visitor.open(`${url}/explore/admin`)
  await visitor.giveKey(key)
  await page.getByRole('heading', { name: 'This is for the administrator' }).waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await visitor.giveKey(adminKey)
  await page.getByText('The server and its database are ready').waitFor()
  await page.getByText(/^\d+\.\d+\.\d+$/).waitFor()
  const projects = page.getByRole('table', { name: 'Projects' })
  assert.match(await projects.getByRole('row').nth(1).innerText(), /^ann\/verses/)
  await press(visitor, 'Check all stored data')
  await page.getByText(/in \d+ projects with [\d,]+ texts/).waitFor()
  await visitor.inspect('admin')
  await press(visitor, 'New user')
  await page.getByLabel('Handle').fill('cl eo')
  await press(visitor, 'Make the user')
  await page.locator('#field-user:focus:invalid').waitFor()
  await visitor.inspect('admin-new-user')
  await page.getByLabel('Handle').fill('cleo')
  await page.getByLabel('E-mail').fill('cleo@example.org')
  await press(visitor, 'Make the user')
  await page.getByRole('heading', { name: 'The key of cleo' }).waitFor()
  await visitor.inspect('admin-key')
  const first = await takeIssued(visitor)
  const other = await Visitor.come(browser)
  await other.open(`${url}/explore/new`)
  await other.giveKey(first)
  await other.page.getByText('Key of cleo').waitFor()
  await other.leave()
  await press(visitor, 'Rotate the key of cleo')
  await visitor.inspect('admin-rotate')
  await inDialog(visitor, 'Rotate the key of cleo')
  const second = await takeIssued(visitor)
  const me = `${url}/v1/me`
  assert.deepEqual([await statusOf(me, first), await statusOf(me, second)], [401, 200])
  const asCleo = { url, key: second }
  const model = { endpoint: 'none', api_standard: 'provider-a', model: 'own', dimensions: 3 }
  await ask(asCleo, 'PUT', 'llm-services/cleo/own', model)
  const own = { instance_owner: 'cleo', instance_handle: 'own' }
  await ask(asCleo, 'PUT', 'projects/cleo/own', own)
  await press(visitor, 'Delete cleo')
  await page.getByText('1 project with 0 texts, 1 model and 0 named keys').waitFor()
  await page.getByLabel('Type cleo to confirm').fill('cleo')
  await visitor.inspect('admin-delete')
  await inDialog(visitor, 'Delete cleo')
  await said(visitor, 'Deleted cleo')
  await page.getByRole('row', { name: /^cleo/ }).waitFor({ state: 'detached' })
  assert.equal(await statusOf(me, second), 401)
  await visitor.open(`${url}/explore`)
  await page.getByRole('link', { name: 'ann/verses' }).waitFor()
  await visitor.inspect('admin-explore')
  await page.getByRole('link', { name: 'Users and projects' }).click()
  await page.getByRole('heading', { name: 'Administration' }).waitFor()
}

export const managingWalks: Readonly<Record<string, Walk>> = { managesProjects, administersServer }
