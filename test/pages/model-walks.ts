import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { ask } from './ask.ts'
import { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'
import { meantVerse, words } from './world.ts'

/** A model is described, tested, and used by two projects; the page says what its operator has to allow. */
const describesModels: Walk = async (walked) => {
  const { visitor, page, url, key } = walked
  const read = (path: string) => ask(walked, 'GET', path)
  const { endpoint } = await read('llm-services/ann/minilm')
  const { host } = new URL(endpoint)
  await visitor.open(`${url}/explore/new`)
  await visitor.giveKey(key)
  await page.getByLabel('Name', { exact: true }).fill('meant')
  await visitor.inspect('new-project-known')
  await page.getByRole('radio', { name: /^A model makes them/ }).check()
  await page.getByText(`SERVICE_EMBEDDINGHOSTS=${host},localhost:11434`).waitFor()
  assert.equal(await page.getByLabel('Model', { exact: true }).inputValue(), 'all-minilm')
  const test = page.getByRole('button', { name: 'Test' })
  await test.click()
  await page.getByText('may not ask this host').waitFor()
  await visitor.inspect('new-project-refused')
  await page.getByLabel('Provider', { exact: true }).selectOption('provider-a-large')
  assert.equal(await page.getByLabel('Dimensions').inputValue(), '3072')
  await page
    .getByLabel('Provider', { exact: true })
    .selectOption("Another server that takes OpenAI's requests")
  await page.getByLabel('Endpoint').fill(endpoint)
  await page.getByText(`The operator of this server allows ${host}.`).waitFor()
  await page.getByLabel('Model', { exact: true }).fill('A Model')
  await page.getByLabel('Endpoint').fill(`http://${host}/elsewhere`)
  await page.route('**/test', (route) =>
    route.fulfill({ status: 502, json: { detail: 'HTTP 404' } }),
  )
  await test.click()
  await page.getByRole('alert').filter({ hasText: 'HTTP 404' }).waitFor()
  await visitor.inspect('new-project-failed')
  await page.unroute('**/test')
  await page.getByLabel('Endpoint').fill(endpoint)
  await page.getByLabel('Key of the provider').fill('the-key-of-the-provider')
  await test.click()
  await page.getByText('It works: 384 dimensions.').waitFor()
  assert.equal(await page.getByLabel('Dimensions').inputValue(), '384')
  await page.getByLabel('Texts per day').fill('50')
  await visitor.inspect('new-project-tested')
  await page.getByLabel('Name', { exact: true }).fill('verses')
  const create = page.getByRole('button', { name: 'Create the project' })
  await create.click()
  await page.getByRole('alert').filter({ hasText: "'ann/verses' already exists" }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('meant')
  await create.click()
  await page.waitForURL(`${url}/explore/ann/meant/upload`)
  await page.getByLabel(/^Choose a file/).waitFor()
  const { text_queries, text_query_budget, ...meant } = await read('projects/ann/meant')
  assert.deepEqual([text_queries, text_query_budget], ['members', { requests: 50 }])
  assert.deepEqual([meant.instance_handle, meant.embeds_texts], ['a-model', true])
  assert.equal((await read('llm-services/ann/a-model')).has_api_key, true)
  // Another project with the same model, for nobody's questions; the test has left nothing behind.
  await visitor.open(`${url}/explore/new`)
  await page.getByLabel('Name', { exact: true }).fill('silent')
  await page.getByRole('radio', { name: /^As in another project/ }).check()
  await page.getByLabel('Model', { exact: true }).selectOption('ann/a-model')
  await page.getByLabel('Who may search by meaning').selectOption('Nobody')
  await create.click()
  await page.waitForURL(`${url}/explore/ann/silent/upload`)
  // The page of an empty project may have nothing to search.
  const one = JSON.stringify({ text_id: 'one', vector: Array(384).fill(1) })
  await ask(walked, 'POST', 'embeddings/ann/silent', one)
  await page.getByRole('link', { name: 'ann/silent' }).click()
  const meaning = page.getByRole('option', { name: 'Meaning (switched off)', exact: true })
  await meaning.waitFor({ state: 'attached' })
  const { instances } = await read('llm-services/ann')
  const handles = instances.map((each: { instance_handle: string }) => each.instance_handle)
  assert.deepEqual(
    handles.filter((each: string) => /model|tested/.test(each)),
    ['a-model'],
  )
}

/** By words, and where the project allows it, by their meaning. */
const asks: Walk = async ({ visitor, page, browser, url, screenshots }) => {
  await visitor.open(`${url}/explore/ann/verses`)
  await visitor.rows()
  await visitor.search('"poor in spirit"')
  await visitor.rowsWhen((found) => found.join() === 'matthew-5-3')
  await visitor.inspect('words')
  const kind = page.getByRole('combobox', { name: 'What it is' })
  await visitor.search(words)
  await page.waitForURL(/both=/)
  await visitor.rowsWhen((found) => found.length > 1 && found.includes(meantVerse))
  await visitor.search('words that nobody knows')
  await page.getByRole('alert').filter({ hasText: 'unknown words' }).waitFor()
  await visitor.inspect('both-refused')
  await page.getByRole('link', { name: 'Find the words alone' }).click()
  await page.waitForURL(/words=/)
  await visitor.rowsWhen((found) => found.length > 1)
  await kind.selectOption('meaning')
  await visitor.search(words)
  await page.waitForURL(/meaning=/)
  const rows = await visitor.rowsWhen(([first]) => first === meantVerse)
  assert.equal(new URL(page.url()).searchParams.get('meaning'), words)
  await visitor.inspect('meaning')
  await asksFirst(browser, page.url(), rows, screenshots)
  await visitor.search('words that nobody knows')
  await page.getByRole('alert').filter({ hasText: 'unknown words' }).waitFor()
  await visitor.open(`${url}/explore/ann/odd?${new URLSearchParams({ meaning: words })}`)
  await page.getByRole('button', { name: 'Search for the words' }).click()
  await page.getByRole('alert').filter({ hasText: 'text_queries' }).waitFor()
  const kinds = page.getByRole('combobox', { name: 'What it is' }).getByRole('option')
  assert.deepEqual(await kinds.allInnerTexts(), [
    'Automatic',
    'Words',
    'Meaning (switched off)',
    'Words and meaning (switched off)',
    'text_id',
    'Vector',
  ])
}

/** Whoever opens an address has not asked for the words in it, which may cost the owner of the project. */
async function asksFirst(
  browser: Browser,
  url: string,
  rows: readonly string[],
  screenshots: string | undefined,
): Promise<void> {
  const reader = await Visitor.come(browser, screenshots)
  const { page } = reader
  const searches: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/similars/')) searches.push(request.postData() ?? '')
  })
  await reader.open(url)
  const button = page.getByRole('button', { name: 'Search for the words' })
  await button.waitFor()
  await reader.inspect('meaning-asked')
  await page.getByRole('checkbox', { name: /^Luke/ }).check()
  await page.waitForURL(/filter=/)
  await page.getByRole('searchbox', { name: 'text_id begins with' }).fill('luke-')
  await page.keyboard.press('Enter')
  await page.waitForURL(/prefix=/)
  await reader.search('')
  await reader.rowsWhen(([first]) => first === 'luke-1-1')
  for (const gone of [/meaning=.*prefix=/, /meaning=.*filter=/, /meaning=[^&]*$/]) {
    await page.goBack()
    await page.waitForURL(gone)
  }
  await button.waitFor()
  assert.deepEqual(searches, [])
  await button.click()
  assert.deepEqual(await reader.rowsWhen(([first]) => first === rows[0]), rows)
  assert.equal(searches.length, 1)
  await reader.leave()
}

export const modelWalks: Readonly<Record<string, Walk>> = { describesModels, asks }
