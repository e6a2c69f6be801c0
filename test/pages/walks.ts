import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { mapped } from './map-walk.ts'
import { startProxy } from './site.ts'
import { Visitor } from './visitor.ts'
import { hostile } from './world.ts'

/** What a walk is given: somebody who looks at the pages, and what there is. */
export interface Walked {
  readonly visitor: Visitor
  readonly page: Page
  readonly browser: Browser
  readonly url: string
  /** Of ann. */
  readonly key: string
  readonly adminKey: string
  readonly screenshots: string | undefined
}

export type Walk = (walked: Walked) => Promise<void>

/** From the first page to a project, and through its texts. */
const reads: Walk = async ({ visitor, page, url }) => {
  await visitor.open(url)
  await visitor.inspect('first')
  await page.getByRole('link', { name: 'Explore projects' }).click()
  await page.getByRole('table', { name: 'Public projects' }).waitFor()
  await visitor.inspect('explore')
  await page.getByRole('link', { name: 'ann/verses' }).click()
  assert.equal((await visitor.rows()).length, 20)
  assert.match(await visitor.status(), /^3,779 texts/)
  await visitor.inspect('list')
  // In a window that is narrow for a moment: the filter is still open afterwards.
  await page.setViewportSize({ width: 400, height: 900 })
  await page.getByRole('link', { name: 'Next page' }).click()
  await visitor.rowsWhen(([first]) => first !== undefined && first > 'john-1-27')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('checkbox', { name: /^Mark/ }).check()
  await visitor.rowsWhen((rows) => rows.every((row) => row.startsWith('mark-')))
  assert.match(await visitor.status(), /^678 texts/)
  const verses = page.getByRole('group', { name: 'ref.verse' })
  await verses.getByLabel('From').fill('44')
  await page.keyboard.press('Enter')
  await visitor.rowsWhen(
    (rows) => rows.length > 0 && rows.every((row) => /-(4[4-9]|[5-9]\d)$/.test(row)),
  )
  await verses.getByLabel('to', { exact: true }).fill('45')
  await page.keyboard.press('Enter')
  await visitor.rowsWhen((rows) => rows.length > 0 && rows.every((row) => /-4[45]$/.test(row)))
  await page.goBack()
  await page.goBack()
  await page.getByRole('searchbox', { name: 'text_id begins with' }).fill('mark-16-2')
  await page.keyboard.press('Enter')
  await visitor.rowsWhen((rows) => `${rows}` === 'mark-16-2,mark-16-20')
}

/** By text_id, facet, threshold, group and row; each state is a URL that somebody else may open. */
const searches: Walk = async ({ visitor, page, browser, url }) => {
  await visitor.open(`${url}/explore/ann/verses`)
  await visitor.search('matthew-3-17')
  await visitor.rowsWhen(([first]) => first === 'mark-1-11')
  assert.match(await page.locator('.row .similarity').first().innerText(), /0\.900/)
  assert.match(page.url(), /\?text_id=matthew-3-17$/)
  await visitor.inspect('search')
  await page.getByRole('checkbox', { name: /^Luke/ }).check()
  await visitor.rowsWhen((rows) => rows.length > 0 && rows.every((row) => row.startsWith('luke-')))
  await page.locator('.facet', { hasText: /^Matthew$/ }).waitFor()
  await visitor.inspect('facets')
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
  await page.getByText(/^chance ends at 0\.\d\d$/).waitFor()
  assert.match(await page.locator('.row .similarity').first().innerText(), /closer than 99\.\d %/)
  await page.getByRole('link', { name: `More like this: ${few[0]}` }).click()
  await page.locator('.source').getByText(`${few[0]}`, { exact: true }).waitFor()
  await page.getByRole('link', { name: `Less like this: ${few[1]}` }).click()
  await page.getByRole('heading', { name: 'Not like' }).waitFor()
  await visitor.inspect('examples')
  await page.getByRole('link', { name: `Leave out: ${few[1]}` }).click()
  await page.getByRole('heading', { name: 'Not like' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('ref.book')
  await page.getByRole('heading', { level: 3 }).first().waitFor()
  await visitor.inspect('groups')
  await opensTheSame(browser, page.url(), await visitor.rows())
}

async function opensTheSame(browser: Browser, url: string, rows: readonly string[]): Promise<void> {
  const other = await Visitor.come(browser)
  await other.open(url)
  assert.deepEqual(await other.rows(), rows)
  await other.leave()
}

/** Words in the texts of all projects, with their own URL. */
const searchesAll: Walk = async ({ visitor, page, url, key }) => {
  const first = page.getByRole('list', { name: 'Texts' }).getByRole('listitem').first()
  await visitor.open(`${url}/explore`)
  await page.getByRole('searchbox').fill('"grain of mustard seed"')
  await page.keyboard.press('Enter')
  await first.locator('mark').first().waitFor()
  assert.match(page.url(), /\?words=%22grain\+of/)
  await visitor.inspect('explore-search')
  await page.getByRole('searchbox').fill('"a secret" -place')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  await visitor.inspect('explore-nothing')
  await page.getByRole('button', { name: 'Use a key' }).click()
  await visitor.giveKey(key)
  await first.filter({ hasText: 'A secret' }).waitFor()
  await first.getByRole('link', { name: 'hidden-1' }).click()
  await page.waitForURL(/explore\/ann\/secret\/text/)
  await page.goBack()
  await first.filter({ hasText: 'A secret' }).waitFor()
  await page.goBack()
  await first.locator('mark').first().waitFor()
  assert.equal(await page.getByRole('searchbox').inputValue(), '"grain of mustard seed"')
}

/** A pasted vector, and what is shown as code. */
const pastes: Walk = async ({ visitor, page, browser, url }) => {
  const answer = await fetch(`${url}/v1/embeddings/ann/verses?text_id=john-1-1`)
  const { vector } = JSON.parse(await answer.text())
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
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  assert.deepEqual(
    JSON.parse(stdout).results.map(({ id }: { id: string }) => id),
    rows,
  )
  await visitor.search('[1, 2, 3]')
  await page.getByRole('alert').filter({ hasText: 'expected 384 dimensions, got 3' }).waitFor()
  await visitor.search('matthew-99-99')
  await page.getByRole('alert').filter({ hasText: "'matthew-99-99' not found" }).waitFor()
}

/** Near-duplicates: pairs, across a field, groups, as files; each state has a URL. */
const findsDuplicates: Walk = async ({ visitor, page, browser, url }) => {
  const done = 'section[aria-label=Near-duplicates][aria-busy=false]'
  const section = page.locator(done)
  const found = async (words: RegExp) => {
    await section.getByRole('heading', { level: 2 }).filter({ hasText: words }).waitFor()
    await page.locator('.text').first().waitFor()
    return page.locator('.text-id').allInnerTexts()
  }
  await visitor.open(`${url}/explore/ann/verses`)
  await page.getByRole('link', { name: 'Near-duplicates' }).click()
  await found(/^\d+ pairs in \d+ groups among 3,779 texts$/)
  await visitor.inspect('duplicates')
  await page.getByRole('checkbox', { name: /^Mark/ }).check()
  await found(/among 678 texts$/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Only across').selectOption('ref.book')
  const [first = '', second = ''] = await found(/among 3,779/)
  assert.notEqual(first.split('-')[0], second.split('-')[0])
  await page.getByRole('slider').fill('0.9')
  const many = await found(/among 3,779/)
  assert.match(page.url(), /\?threshold=0\.9&different=ref\.book$/)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ])
  const [header, ...lines] = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\r\n')
  assert.equal(header, 'id,neighbour,similarity,group')
  const heading = await section.getByRole('heading', { level: 2 }).innerText()
  assert.ok(heading.startsWith(`${lines.length} pairs`), heading)
  assert.equal(new Set(lines.map((line) => line.split(',', 2).sort().join(' '))).size, lines.length)
  const other = await Visitor.come(browser)
  await other.open(page.url())
  await other.page.locator(`${done} .pair .text`).first().waitFor()
  assert.deepEqual(await other.page.locator('.text-id').allInnerTexts(), many)
  await other.leave()
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByText(/^Page 2 of/).waitFor()
  await page.locator('.pair ins').first().waitFor()
  await visitor.inspect('duplicate-pairs')
  await page.getByRole('button', { name: 'Groups' }).click()
  await page.locator('.group ins').first().waitFor()
  await visitor.inspect('duplicate-groups')
  await page.goBack()
  await page.getByText(/^Page 2 of/).waitFor()
  await page.locator('.pair').first().waitFor()
  await visitor.slowDown(20_000)
  await page.getByRole('slider').fill('0.8')
  await page.getByText(/[1-9]\d* pairs? so far/).waitFor()
  await page.locator('[aria-busy=true] .pair .text').first().waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped before all texts were compared').waitFor()
  await visitor.slowDown(-1)
  await page.getByRole('button', { name: 'Compare all' }).click()
  await found(/among 3,779/)
  await visitor.open(`${url}/explore/ann/verses/duplicates?different=${'a.'.repeat(40)}a`)
  await page.getByRole('alert').filter({ hasText: 'segments' }).waitFor()
}

/** What is private shows nothing without a key; the key stays in the tab, until it is forgotten. */
const givesKey: Walk = async ({ visitor, page, url, key }) => {
  const shown = async (project: string) => {
    await visitor.open(`${url}/explore/ann/${project}`)
    await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
    return (await page.locator('main').innerHTML()).replaceAll(project.replace(/\/.*/, ''), '')
  }
  assert.equal(await shown('secret'), await shown('nothing'))
  assert.equal(await shown('secret/duplicates'), await shown('nothing/duplicates'))
  await visitor.open(`${url}/explore/ann/secret`)
  await page.getByLabel('API key').waitFor()
  await visitor.inspect('key')
  await visitor.giveKey('no-key-of-anybody')
  await page.getByRole('alert').filter({ hasText: 'does not know this key' }).waitFor()
  assert.equal(await page.evaluate(() => sessionStorage.length), 0)
  await visitor.giveKey(key)
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
}

/** Whatever users have written is text. */
const staysUnharmed: Walk = async ({ visitor, page, url }) => {
  const isUnharmed = async () => {
    assert.equal(await page.evaluate(() => 'harmed' in globalThis), false, page.url())
    const foreign = await page
      .locator(
        'main :is(script, iframe, img, math, style, [onerror], [onload], [href^=javascript])',
      )
      .count()
    assert.equal(foreign, 0, page.url())
  }
  await visitor.open(`${url}/explore`)
  await page.getByRole('table', { name: 'Public projects' }).waitFor()
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
  await visitor.open(`${url}/explore/ann/odd`)
  await visitor.rows()
  const links = page.locator('section[aria-label=Texts] > .rows .text-id')
  const addresses = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))
  assert.equal(addresses.length, hostile.length)
  for (const address of addresses) {
    await visitor.open(new URL(`${address}`, `${url}/explore/ann/odd`).href)
    await visitor.rowsWhen((rows) => rows.length === hostile.length - 1)
    const textId = new URL(page.url()).searchParams.get('text_id')
    assert.ok(hostile.includes(`${textId}`))
    assert.equal(await page.locator('.one h2').textContent(), textId)
    for (const choice of await page.getByLabel('Most similar among').locator('option').all())
      assert.ok(!(await choice.innerHTML()).includes('<'))
    await isUnharmed()
  }
  for (const shows of ['pairs', 'groups']) {
    await visitor.open(`${url}/explore/ann/odd/duplicates?threshold=0.8&shows=${shows}`)
    await page.locator('.text').first().waitFor()
    if (shows === 'groups') {
      await page.getByRole('button', { name: `Show all ${hostile.length}` }).click()
      await page
        .locator('.group .text')
        .nth(hostile.length - 1)
        .waitFor()
    }
    await isUnharmed()
    await visitor.inspect(`hostile-${shows}`)
  }
  await visitor.open(`${url}/explore/ann/odd?${new URLSearchParams({ text_id: `${hostile[0]}` })}`)
  await visitor.rowsWhen((rows) => rows.length === hostile.length - 1)
  for (const summary of await page.getByText('All metadata').all()) await summary.click()
  await page.getByText('Copy as curl').click()
  await isUnharmed()
  await visitor.inspect('hostile')
}

/** By the keyboard alone, behind a proxy that has the service below a path. */
const typesBehindProxy: Walk = async ({ visitor, page, url }) => {
  const proxy = await startProxy(url, '/deep/path')
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
}

export const walks: Readonly<Record<string, Walk>> = {
  reads,
  searches,
  searchesAll,
  pastes,
  findsDuplicates,
  givesKey,
  staysUnharmed,
  typesBehindProxy,
  mapped,
}
