import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ask, ofOdd } from './ask.ts'
import type { Walk } from './walks.ts'

/** A table is sorted by its headings; the tabs lead from one page of a project to the next. */
const followsTabs: Walk = async ({ visitor, page, url, key }) => {
  const tabs = page.getByRole('navigation', { name: 'Project' }).getByRole('link')
  await visitor.open(`${url}/explore/ann/verses`)
  await visitor.rows()
  const open = ['Search', 'Map', 'Near-duplicates', 'Use from code']
  assert.deepEqual(await tabs.allInnerTexts(), open)
  await visitor.search('zebra*')
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  await page.getByRole('searchbox', { name: 'text_id begins with' }).fill('luke-')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Search without the filter' }).click()
  await page.waitForURL(/words=zebra\*$/)
  await visitor.inspect('nothing-found')
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByRole('button', { name: 'Use a key' }).click()
  await visitor.inspect('key-dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Use a key' }).click()
  await visitor.giveKey(key)
  const own = page.getByRole('table', { name: 'Your projects' })
  await own.getByRole('button', { name: 'Texts' }).click()
  assert.match(await own.getByRole('row').nth(1).innerText(), /^ann\/verses/)
  const sorted = own.getByRole('columnheader', { name: 'Texts' })
  assert.equal(await sorted.getAttribute('aria-sort'), 'descending')
  await own.getByRole('link', { name: 'ann/secret' }).click()
  await page.getByText('Private', { exact: true }).waitFor()
  await tabs.filter({ hasText: 'Manage' }).waitFor()
  assert.equal(await tabs.count(), 6)
  await tabs.filter({ hasText: 'Map' }).click()
  await tabs.filter({ hasText: 'Near-duplicates' }).click()
  await page.getByText('No two texts are this similar').waitFor()
  await tabs.filter({ hasText: 'Use from code' }).click()
  await page.getByRole('heading', { name: 'LangChain' }).waitFor()
  await visitor.inspect('code')
  const command = await page.locator('#curl-code').innerText()
  const env = { ...process.env, SEMBLANCE_KEY: key }
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('bread', 'secret')], {
    env,
  })
  assert.equal(JSON.parse(stdout).results[0].id, 'hidden-1')
  for (const id of ['python', 'upload', 'langchain'])
    assert.match(await page.locator(`#${id}-code`).innerText(), /\.project\("ann\/secret"/)
}

/** An empty project says how to fill it, a text is deleted after a question, and keys end. */
const meetsStates: Walk = async (walked) => {
  const { visitor, page, url, adminKey } = walked
  const { api_key: eves } = await ask({ url, key: adminKey }, 'PUT', 'users/eve', {})
  await ask(walked, 'PUT', 'projects/ann/blank', { ...ofOdd, public_read: true })
  const toEve = { share_with_handle: 'eve', role: 'editor' }
  await ask(walked, 'POST', 'projects/ann/blank/share', toEve)
  const empty = page.getByRole('heading', { name: 'This project has no texts yet' })
  await visitor.open(`${url}/explore/ann/blank/map`)
  await page.getByText('Its owner, ann, has not uploaded any.').waitFor()
  const named = { key_handle: 'passing', access: 'write' }
  const { api_key: passing } = await ask(walked, 'POST', 'users/ann/keys', named)
  await page.getByRole('button', { name: 'Use a key' }).click()
  await visitor.giveKey(passing)
  await page.getByRole('link', { name: 'Upload a file' }).waitFor()
  await page.getByText('Public · shared with 1').waitFor()
  await visitor.inspect('empty-project')
  const textId = '../a text & more'
  const text = { text_id: textId, vector: [1, 0, 0], metadata: { ref: { a: [1, 'b'], n: null } } }
  await ask(walked, 'POST', 'embeddings/ann/blank', JSON.stringify(text))
  await visitor.open(`${url}/explore/ann/blank/text?${new URLSearchParams({ text_id: textId })}`)
  const metadata = page.getByRole('table', { name: 'Metadata' }).getByRole('row')
  await metadata.first().waitFor()
  assert.deepEqual(await metadata.allInnerTexts(), ['ref.a\t1, b', 'ref.n\tnull'])
  await page.getByRole('button', { name: 'Delete' }).click()
  await visitor.inspect('text-delete')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: `Delete ${textId}` }).click()
  await page
    .getByRole('status')
    .filter({ hasText: `Deleted ${textId}` })
    .waitFor()
  await empty.waitFor()
  await page.route('**/v1/projects/ann/blank', (route) => route.abort(), { times: 1 })
  await page.reload()
  await page.getByRole('heading', { name: 'That did not work' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await empty.waitFor()
  assert.match(visitor.complaints.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/)
  await ask(walked, 'DELETE', 'users/ann/keys/passing')
  await page.reload()
  await page.getByRole('heading', { name: 'Your key no longer works' }).waitFor()
  await visitor.inspect('key-ended')
  await visitor.giveKey(eves)
  await page.getByText('Public · shared with you').waitFor()
  await page.getByRole('link', { name: 'Upload', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Manage' }).count(), 0)
  await visitor.open(`${url}/explore/ann/blank/manage`)
  await page.getByText('Only ann can manage it.').waitFor()
}

export const frameWalks: Readonly<Record<string, Walk>> = { followsTabs, meetsStates }
