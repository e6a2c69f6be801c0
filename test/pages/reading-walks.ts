import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { startProxy } from './site.ts'
import type { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'

/** From the first page through the guides, which are read without JavaScript, too. */
const readsGuides: Walk = async ({ visitor, page, browser, url }) => {
  await visitor.open(url)
  await page.getByRole('link', { name: 'Read the guides' }).click()
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor()
  await visitor.inspect('guides')
  await page.getByRole('link', { name: 'Looking at projects in a browser' }).click()
  await page.getByRole('heading', { name: 'Looking at projects in a browser' }).waitFor()
  const images = page.locator('article img')
  assert.ok((await images.count()) > 0)
  for (const image of await images.all())
    assert.ok(await image.evaluate((each: HTMLImageElement) => each.naturalWidth > 100))
  await visitor.inspect('guide')
  await page
    .getByRole('article')
    .getByRole('link', { name: 'similar ones near each other' })
    .click()
  await page.getByRole('heading', { name: 'A map of a project' }).waitFor()
  await visitor.inspect('guide-table')
  await page.getByRole('link', { name: 'Next Uploading' }).click()
  await page.getByRole('link', { name: 'Previous A map' }).waitFor()
  await searchesGuides(visitor)
  const proxy = await startProxy(url, '/deep/path')
  const context = await browser.newContext({ javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto(`${proxy.url}/docs/guide/keys`)
  await plain.getByRole('link', { name: 'Search by words' }).click()
  await plain.getByRole('heading', { name: 'Search by words' }).waitFor()
  assert.equal(new URL(plain.url()).pathname, '/deep/path/docs/guide/words')
  await context.close()
}

/** By the beginnings of words, with the keyboard alone; and copies a session in a terminal. */
async function searchesGuides(visitor: Visitor): Promise<void> {
  const { page } = visitor
  await page.getByLabel('Search the guides').fill('rotate encr')
  await page.locator('.found mark').first().waitFor()
  await visitor.inspect('guide-search')
  await page.getByLabel('Search the guides').press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.waitForURL(/operations#/)
  await page.getByLabel('Search the guides').fill('nothing at all like this')
  await page.getByText('Nothing has these words').waitFor()
  await page.getByLabel('Search the guides').fill('')
  await page.getByRole('link', { name: 'Start here' }).click()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const session = page.locator('.snippet').filter({ hasText: 'public_read' }).last()
  await session.getByRole('button', { name: 'Copy' }).click()
  await session.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(copied, /^curl -s -X PATCH [^$]*\$URL/)
}

/** The page of one text: what is stored of it, and its neighbours, among all or by one of its values. */
const readsOne: Walk = async ({ visitor, page, url, key }) => {
  await visitor.open(`${url}/explore/ann/verses?prefix=matthew-3-17`)
  await visitor.rows()
  await page.getByRole('link', { name: 'matthew-3-17', exact: true }).click()
  await page.getByRole('heading', { name: 'matthew-3-17' }).waitFor()
  await visitor.rowsWhen((rows) => rows.length === 20 && rows[0] === 'mark-1-11')
  assert.match(await page.title(), /^matthew-3-17 – ann\/verses/)
  await page
    .locator('.one')
    .getByText(/Uploaded/)
    .waitFor()
  const reads = async (way: string, textId: string) => {
    await page.getByRole('navigation', { name: way }).getByRole('link', { name: textId }).click()
    await page.getByRole('heading', { name: textId }).waitFor()
    await visitor.rows()
  }
  await reads('Before it', 'matthew-3-16')
  await page.getByRole('navigation', { name: 'Before it' }).getByText('John').waitFor()
  await visitor.inspect('text')
  await reads('After it', 'matthew-3-17')
  const json = await page.getByRole('link', { name: 'As JSON' }).getAttribute('href')
  const answer = await fetch(new URL(`${json}`, page.url()))
  assert.equal(JSON.parse(await answer.text()).text_id, 'matthew-3-17')
  await page.getByLabel('Most similar among').selectOption('texts without ref.book "Matthew"')
  const others = await visitor.rowsWhen((rows) => rows.every((row) => !row.startsWith('matthew-')))
  await visitor.open(page.url())
  assert.deepEqual(await visitor.rows(), others)
  await page.getByRole('link', { name: `${others[0]}`, exact: true }).click()
  await page.getByRole('heading', { name: `${others[0]}` }).waitFor()
  await visitor.rows()
  await visitor.open(`${url}/explore/ann/verses/text?text_id=matthew-3-1x`)
  await page.getByRole('alert').filter({ hasText: "'matthew-3-1x' not found" }).waitFor()
  await visitor.inspect('text-missing')
  await page.getByRole('link', { name: 'begins like this' }).click()
  await visitor.rowsWhen((rows) => rows.length === 0)
  await visitor.open(`${url}/explore/ann/verses/text`)
  await page.getByText('The address names no text').waitFor()
  await visitor.open(`${url}/explore/ann/secret/text?text_id=hidden-1`)
  await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await visitor.giveKey(key)
  await page.getByText('A secret').waitFor()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as JSON' }).click(),
  ])
  assert.deepEqual(JSON.parse(await readFile(await saved.path(), 'utf8')).vector, [1, 2, 3])
}

export const readingWalks: Readonly<Record<string, Walk>> = { readsGuides, readsOne }
