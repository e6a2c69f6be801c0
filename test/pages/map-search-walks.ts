import assert from 'node:assert/strict'
import { ask, linesOf, ofOdd } from './ask.ts'
import type { Walk } from './walks.ts'

/** What was searched for goes along to the map, and few texts go on to near-duplicates. */
const findsOnMap: Walk = async ({ visitor, page, url }) => {
  const tab = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true })
  await visitor.open(`${url}/explore/ann/verses`)
  await page.getByRole('checkbox', { name: /^Luke/ }).check()
  await visitor.search('bread*')
  await page.waitForURL(/words=bread/)
  await tab('Map').click()
  await page.getByText(/^1,151 of 3,779 texts, \d\d found$/).waitFor()
  const found = page.getByRole('region', { name: /^\d+ texts found$/ })
  await found.locator('td .clamped').filter({ hasText: 'bread' }).first().waitFor()
  await found
    .getByRole('button', { name: /^luke-/ })
    .first()
    .click()
  await page.locator('.reading .text').filter({ hasText: 'bread' }).waitFor()
  await visitor.inspect('map-found')
  await page.goBack()
  await page.locator('.reading').waitFor({ state: 'hidden' })
  await found.getByRole('link', { name: 'Near-duplicates among these' }).click()
  await page.getByRole('heading', { name: /among \d\d texts|No two|^0 pairs/ }).waitFor()
  await page.goBack()
  await tab('Search').click()
  assert.ok((await visitor.rows()).every((row) => row.startsWith('luke-')))
  await visitor.open(`${url}/explore/ann/verses/map?meaning=never%20sent`)
  await page.getByRole('heading', { name: 'Search for these words?' }).waitFor()
}

const [books, chapters] = [15, 12]
const rare = `book ${books - 1}`

/** Of many values, each can have a colour, which no click takes from another. */
const coloursRareValues: Walk = async (walked) => {
  const { visitor, page, url } = walked
  await ask(walked, 'PUT', 'projects/ann/shelf', { ...ofOdd, public_read: true })
  const texts = Array.from({ length: books * chapters }, (_, at) => ({
    text_id: `text-${at}`,
    text: `A page of the book ${at % books}`,
    vector: [Math.cos(at), Math.sin(at), (at % books) / books],
    metadata: { book: `book ${Math.min(at % books, at % (books + 1))}` },
  }))
  await ask(walked, 'POST', 'embeddings/ann/shelf', linesOf(texts))
  await visitor.open(`${url}/explore/ann/shelf/map?colour=book`)
  await page.locator('.plane').waitFor({ timeout: 300_000 })
  await page.getByRole('button', { name: /^book 0/ }).waitFor()
  const colours = () =>
    page
      .locator('.legend circle')
      .evaluateAll((all) => all.map((each) => each.getAttribute('fill')))
  const before = await colours()
  assert.equal(new Set(before).size, 11)
  const box = page.getByRole('searchbox', { name: 'Find a value of book' })
  await box.fill(rare)
  await page.getByRole('button', { name: `Colour ${rare}` }).click()
  await box.fill('')
  const after = await colours()
  assert.deepEqual(after.slice(0, 10), before.slice(0, 10))
  assert.equal(new Set(after).size, 12)
  await page.getByRole('button', { name: new RegExp(`^${rare}`) }).click()
  await page.getByText(/^\d+ of 180 texts$/).waitFor()
  assert.deepEqual(await colours(), after)
  assert.match(page.url(), /picked=book\+14/)
  await visitor.inspect('map-values')
}

export const mapSearchWalks: Readonly<Record<string, Walk>> = { findsOnMap, coloursRareValues }
