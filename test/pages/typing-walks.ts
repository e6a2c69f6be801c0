import assert from 'node:assert/strict'
import { ask, linesOf, ofOdd } from './ask.ts'
import { chooseFile } from './upload-walks.ts'
import type { Visitor } from './visitor.ts'
import type { Walk, Walked } from './walks.ts'

/** Of 30 numbers twice each, and a text once, so that not all are listed. */
async function makeMixed(walked: Walked, handle: string): Promise<void> {
  await ask(walked, 'PUT', `projects/ann/${handle}`, { ...ofOdd, public_read: true })
  const numbers = Array.from({ length: 60 }, (_, at) => ({
    ...{ text_id: `t${String(at).padStart(2, '0')}`, vector: [1, at / 10, 0] },
    metadata: { n: at % 30 },
  }))
  const word = {
    ...{ text_id: 'w', vector: [0, 0, 1] },
    metadata: { n: 'word1', arr: ['shallow', ['deep']], '': 0 },
  }
  await ask(walked, 'POST', `embeddings/ann/${handle}`, linesOf([...numbers, word]))
}

/** Key by key, as people do: each value, range and prefix counts when it is complete. */
const filtersByTyping: Walk = async (walked) => {
  const { visitor, page, url } = walked
  await makeMixed(walked, 'mixed')
  const shows = (expected: string) => visitor.rowsWhen((rows) => rows.join() === expected)
  const address = `${url}/explore/ann/mixed`
  await visitor.open(address)
  const prefix = page.getByRole('searchbox', { name: 'text_id begins with' })
  await prefix.pressSequentially('t03')
  await page.keyboard.press('Enter')
  await shows('t03')
  await page.goBack()
  await page.waitForURL(address)
  const other = page.getByLabel('Another value of n')
  const range = page.getByRole('group', { name: 'n', exact: true })
  const [from, to] = [range.getByLabel('From'), range.getByLabel('to', { exact: true })]
  const enter = async (input: typeof other, typed: string) => {
    await input.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.type(typed)
    await page.keyboard.press('Enter')
  }
  await enter(from, '3')
  await page.waitForURL(/filter=/)
  await enter(to, '4')
  await shows('t03,t04,t33,t34')
  await enter(from, '28')
  await enter(to, '')
  await shows('t28,t29,t58,t59')
  await visitor.inspect('range')
  await enter(other, 'word1')
  await shows('w')
  assert.deepEqual([await other.inputValue(), await from.inputValue()], ['', ''])
  assert.ok(await page.getByRole('checkbox', { name: 'word1' }).isChecked())
  await page.getByRole('checkbox', { name: 'word1' }).click()
  await enter(other, '29')
  await shows('t29,t59')
  await enter(to, '0')
  await shows('t00,t30')
  await page.reload()
  await shows('t00,t30')
  await page.getByRole('checkbox', { name: /^11/ }).check()
  await shows('t11,t41')
  assert.equal(await to.inputValue(), '')
  await enter(to, '0')
  await shows('t00,t30')
  await enter(to, '')
  await visitor.rowsWhen((rows) => rows.length === 20)
  assert.equal(page.url(), address)
  await visitor.open(`${address}?filter={`)
  await page.getByText('The filter in the address is no JSON object').waitFor()
  await visitor.inspect('filter-ignored')
  await page.getByRole('checkbox', { name: /^11/ }).check()
  await page.getByText('The filter in the address').waitFor({ state: 'detached' })
  await slides(visitor, `${address}?text_id=t00`)
  await offersWhatIsFound(visitor, `${address}/text?text_id=w`)
}

/** A slider that still moves chooses nothing. */
async function slides(visitor: Visitor, address: string): Promise<void> {
  const { page } = visitor
  await visitor.open(address)
  await visitor.rows()
  const box = await page.getByRole('slider').boundingBox()
  assert.ok(box)
  const middle = box.y + box.height / 2
  await page.mouse.move(box.x + 2, middle)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, middle, { steps: 5 })
  await page
    .locator('output')
    .filter({ hasText: /0\.[45]/ })
    .waitFor()
  assert.equal(page.url(), address)
  await page.mouse.up()
  await page.waitForURL(/threshold=0\.[45]/)
}

/** Filters find the elements of an array, but not those of an array within it. */
async function offersWhatIsFound(visitor: Visitor, address: string): Promise<void> {
  const { page } = visitor
  await visitor.open(address)
  await page.getByText('"deep"').waitFor()
  const choices = page.getByLabel('Most similar among').locator('option')
  assert.deepEqual(
    (await choices.allInnerTexts()).filter((words) => words.startsWith('texts with ')),
    ['texts with n "word1"', 'texts with arr "shallow"'],
  )
  await visitor.open(address.replace('/text?text_id', '?prefix'))
  await visitor.rowsWhen((rows) => rows.join() === 'w')
  const values = page.getByRole('list', { name: 'Metadata' }).getByRole('listitem')
  assert.deepEqual(await values.allInnerTexts(), ['n word1', 'arr shallow'])
  await page.getByText('All metadata').click()
  await page.getByText('"deep"').waitFor()
}

/** An upload that waits before it tries again ends when its user stops it, and not after the wait. */
const stopsUploads: Walk = async (walked) => {
  const { visitor, page, url, key } = walked
  await makeMixed(walked, 'stopped')
  // Here no wait of a second or more ever ends by itself.
  await page.addInitScript(() => {
    const { setTimeout: setShort } = globalThis
    const setShortAlone = (act: () => void, ms = 0) => (ms < 1_000 ? setShort(act, ms) : 0)
    Object.assign(globalThis, { setTimeout: setShortAlone })
  })
  await visitor.open(`${url}/explore/ann/stopped/upload`)
  await visitor.giveKey(key)
  await page.route('**/v1/embeddings/**', (route) => route.abort())
  const buffer = Buffer.from(JSON.stringify({ text_id: 'more', vector: [1, 0, 0] }))
  await chooseFile(visitor, { name: 'texts.ndjson', mimeType: 'application/octet-stream', buffer })
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText(/Trying again in 1 s/).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: 'Paused after 0 of 1 text' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.match(visitor.complaints.splice(0).join(), /^Failed to load resource: net::ERR_FAILED$/)
}

export const typingWalks: Readonly<Record<string, Walk>> = { filtersByTyping, stopsUploads }
