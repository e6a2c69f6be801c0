import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { mapped } from './map-walk.ts'
import { startProxy } from './site.ts'
import { Visitor } from './visitor.ts'
import { hostile, meantVerse, words } from './world.ts'

export interface Walked {
  readonly browser: Browser
  readonly url: string
  /** Of ann. */
  readonly key: string
  readonly adminKey: string
  readonly screenshots: string | undefined
}

export type Walk = (walked: Walked) => Promise<void>

/** From the first page to a project, and through its texts. */
const reads: Walk = async ({ browser, url, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(url)
  await visitor.inspect('first')
  await page.getByRole('link', { name: 'Explore projects' }).click()
  await page.locator('.projects li').first().waitFor()
  await visitor.inspect('explore')
  await page.getByRole('link', { name: 'ann/verses' }).click()
  assert.equal((await visitor.rows()).length, 20)
  assert.match(await visitor.status(), /^3,779 texts/)
  await visitor.inspect('list')
  await page.getByRole('link', { name: 'Next page' }).click()
  await visitor.rowsWhen(([first]) => first !== undefined && first > 'john-1-27')
  await page.getByRole('checkbox', { name: /^Mark/ }).check()
  await visitor.rowsWhen((rows) => rows.every((row) => row.startsWith('mark-')))
  assert.match(await visitor.status(), /^678 texts/)
  await page.getByRole('searchbox', { name: 'text_id begins with' }).fill('mark-16-2')
  await page.keyboard.press('Enter')
  await visitor.rowsWhen((rows) => `${rows}` === 'mark-16-2,mark-16-20')
  await visitor.leave()
}

/** By text_id, facet, threshold, group and row; each state is a URL that somebody else may open. */
const searches: Walk = async ({ browser, url, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(`${url}/explore/ann/verses`)
  await visitor.search('matthew-3-17')
  await visitor.rowsWhen(([first]) => first === 'mark-1-11')
  assert.match(await page.locator('.row .similarity').first().innerText(), /0\.900/)
  assert.match(page.url(), /\?text_id=matthew-3-17$/)
  await visitor.inspect('search')
  await page.getByRole('checkbox', { name: /^Luke/ }).check()
  await visitor.rowsWhen((rows) => rows.length > 0 && rows.every((row) => row.startsWith('luke-')))
  await page.getByRole('slider').fill('0.7')
  const few = await visitor.rowsWhen((rows) => rows.length > 0 && rows.length < 20)
  assert.match(
    await visitor.status(),
    new RegExp(`The threshold hides ${20 - few.length} of the 20`),
  )
  await opensTheSame(browser, page.url(), few)
  await page.getByRole('button', { name: 'Show them' }).click()
  await visitor.rowsWhen((rows) => rows.length === 20)
  await page.goBack()
  await visitor.rowsWhen((rows) => `${rows}` === `${few}`)
  await page.getByRole('link', { name: `More like this: ${few[0]}` }).click()
  await page.locator('.source').getByText(`${few[0]}`).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('ref.book')
  await page.getByRole('heading', { level: 3 }).first().waitFor()
  await visitor.inspect('groups')
  await opensTheSame(browser, page.url(), await visitor.rows())
  await visitor.leave()
}

async function opensTheSame(browser: Browser, url: string, rows: readonly string[]): Promise<void> {
  const other = await Visitor.come(browser)
  await other.open(url)
  assert.deepEqual(await other.rows(), rows)
  await other.leave()
}

/** A pasted vector, and what is shown as code. */
const pastes: Walk = async ({ browser, url }) => {
  const answer = await fetch(`${url}/v1/embeddings/ann/verses?text_id=john-1-1`)
  const { vector } = JSON.parse(await answer.text())
  const visitor = await Visitor.come(browser)
  const { page } = visitor
  await visitor.open(`${url}/explore/ann/verses`)
  await visitor.search(JSON.stringify(vector))
  const rows = await visitor.rowsWhen(
    ([first, second]) => first === 'john-1-1' && second !== 'john-1-10',
  )
  assert.match(await page.locator('.row .similarity').first().innerText(), /1\.000/)
  assert.match(page.url(), /#vector=[\w-]{2048}$/)
  await opensTheSame(browser, page.url(), rows)
  await page.getByText('Copy as curl').click()
  const command = await page.locator('#source').inputValue()
  const run = promisify(execFile)
  const { stdout } = await run('sh', ['-c', command], {
    env: { ...process.env, SEMBLANCE_URL: url },
  })
  assert.deepEqual(
    JSON.parse(stdout).results.map(({ id }: { id: string }) => id),
    rows,
  )
  for (const [language, words] of [
    ['Python', /requests\.post\(/],
    ['JavaScript', /await fetch\(url, \{/],
  ] as const) {
    await page.getByRole('button', { name: language, exact: true }).click()
    assert.match(await page.locator('#source').inputValue(), words)
  }
  await visitor.search('[1, 2, 3]')
  await page.getByRole('alert').filter({ hasText: 'expected 384 dimensions, got 3' }).waitFor()
  await visitor.search('matthew-99-99')
  await page.getByRole('alert').filter({ hasText: "'matthew-99-99' not found" }).waitFor()
  await visitor.leave()
}

/** In words, where the project takes them. */
const asks: Walk = async ({ browser, url, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(`${url}/explore/ann/verses`)
  await visitor.rows()
  await visitor.search(words)
  const rows = await visitor.rowsWhen(([first]) => first === meantVerse)
  assert.equal(new URL(page.url()).searchParams.get('words'), words)
  await visitor.inspect('words')
  await opensTheSame(browser, page.url(), rows)
  await visitor.search('words that nobody knows')
  await page.getByRole('alert').filter({ hasText: 'unknown words' }).waitFor()
  await visitor.open(`${url}/explore/ann/odd?${new URLSearchParams({ words })}`)
  await page.getByRole('alert').filter({ hasText: 'text_queries' }).waitFor()
  const kinds = page.getByRole('combobox', { name: 'What it is' }).getByRole('option')
  assert.deepEqual(await kinds.allInnerTexts(), ['Automatic', 'text_id', 'Vector'])
  await visitor.leave()
}

/** What is private shows nothing without a key; the key stays in the tab, until it is forgotten. */
const givesKey: Walk = async ({ browser, url, key, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  const shown = async (project: string) => {
    await visitor.open(`${url}/explore/ann/${project}`)
    await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
    return (await page.locator('main').innerHTML()).replaceAll(project, '')
  }
  assert.equal(await shown('secret'), await shown('nothing'))
  await visitor.open(`${url}/explore/ann/secret`)
  const give = async (given: string) => {
    await page.getByLabel('API key').fill(given)
    await page.keyboard.press('Enter')
  }
  await page.getByLabel('API key').waitFor()
  await visitor.inspect('key')
  await give('no-key-of-anybody')
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await give(key)
  await visitor.rowsWhen((rows) => `${rows}` === 'hidden-1')
  await page.getByText('A secret').waitFor()
  await page.reload()
  await visitor.rowsWhen((rows) => `${rows}` === 'hidden-1')
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByText('Key of ann').waitFor()
  await page.getByRole('link', { name: 'ann/secret' }).waitFor()
  await visitor.inspect('own')
  assert.ok(!page.url().includes(key))
  assert.deepEqual(await visitor.cookies(), [])
  assert.equal(await page.evaluate(() => localStorage.length), 0)
  const tab = await visitor.newTab()
  await tab.goto(`${url}/explore/ann/secret`)
  await tab.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await page.getByRole('link', { name: 'ann/secret' }).waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => sessionStorage.length), 0)
  await shown('secret')
  await visitor.leave()
}

/** Whatever users have written is text. */
const staysUnharmed: Walk = async ({ browser, url, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  const isUnharmed = async () => {
    assert.equal(await page.evaluate(() => 'harmed' in globalThis), false, page.url())
    const foreign = await page
      .locator(
        'main :is(script, iframe, img, math, style, [onerror], [onload], [href^=javascript])',
      )
      .count()
    assert.equal(foreign, 0, page.url())
  }
  await visitor.open(`${url}/`)
  await isUnharmed()
  await visitor.open(`${url}/explore`)
  await page.locator('.projects li').first().waitFor()
  await isUnharmed()
  const states = hostile.flatMap((text) => [
    new URLSearchParams({ text_id: text, group_by: text, threshold: '0' }),
    new URLSearchParams({
      filter: JSON.stringify({ [text.replaceAll('.', '\\.')]: text }),
      prefix: text,
    }),
  ])
  for (const state of ['', ...states]) {
    await visitor.open(`${url}/explore/ann/odd?${state}`)
    await visitor.rows()
    await isUnharmed()
  }
  await visitor.open(`${url}/explore/ann/odd?${new URLSearchParams({ text_id: `${hostile[0]}` })}`)
  await visitor.rowsWhen((rows) => rows.length === hostile.length - 1)
  for (const summary of await page.getByText('All metadata').all()) await summary.click()
  await page.getByText('Copy as curl').click()
  await isUnharmed()
  await visitor.inspect('hostile')
  await visitor.leave()
}

/** By the keyboard alone, behind a proxy that has the service below a path. */
const typesBehindProxy: Walk = async ({ browser, url }) => {
  const proxy = await startProxy(url, '/deep/path')
  const visitor = await Visitor.come(browser)
  const { page } = visitor
  await visitor.open(`${proxy.url}/explore`)
  const link = page.getByRole('link', { name: 'ann/verses' })
  await link.waitFor()
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab')
    if (await link.evaluate((element) => element === document.activeElement)) break
  }
  await page.keyboard.press('Enter')
  await visitor.rows()
  assert.equal(new URL(page.url()).pathname, '/deep/path/explore/ann/verses')
  const box = page.getByRole('combobox', { name: /^Search by/ })
  for (let presses = 0; presses < 20; presses += 1) {
    if (await box.evaluate((element) => element === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.type('matthew-3-17')
  await page.keyboard.press('Enter')
  await visitor.rowsWhen(([first]) => first === 'mark-1-11')
  await visitor.leave()
  proxy.stop()
}

export const walks: Readonly<Record<string, Walk>> = {
  reads,
  searches,
  pastes,
  asks,
  givesKey,
  staysUnharmed,
  typesBehindProxy,
  mapped,
}
