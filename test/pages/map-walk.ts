import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { drawnLess, drawnOf } from './map-drawing.ts'
import { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'

/** On a phone: a tap shows a text without scrolling, two fingers zoom, and one scrolls the page. */
async function touched(
  browser: Browser,
  url: string,
  screenshots: string | undefined,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 800 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  await page.goto(url)
  const plane = page.locator('.plane')
  await plane.waitFor()
  await plane.scrollIntoViewIfNeeded()
  await page.waitForTimeout(500)
  const { x, y } = (await drawnOf(page)).place
  const before = await page.evaluate(() => scrollY)
  await page.touchscreen.tap(x, y)
  await page.getByRole('list', { name: 'Neighbours' }).waitFor()
  await page.locator('.reading .text').filter({ hasText: /\w/ }).waitFor()
  const sheet = await page.locator('.reading').boundingBox()
  assert.ok(sheet !== null && sheet.y >= 400 && sheet.y + sheet.height <= 800, 'a sheet below')
  assert.equal(await page.evaluate(() => scrollY), before)
  if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/map-tapped.png` })
  await page.getByRole('button', { name: 'Close' }).click()
  await page.locator('.reading').waitFor({ state: 'hidden' })

  const session = await context.newCDPSession(page)
  const box = await plane.boundingBox()
  assert.ok(box !== null)
  const [middle, down] = [box.x + box.width / 2, box.y + box.height / 2]
  const fingers = (apart: number) => [
    { x: middle - apart, y: down, id: 0 },
    { x: middle + apart, y: down, id: 1 },
  ]
  const touch = (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    touchPoints: { x: number; y: number; id: number }[],
  ) => session.send('Input.dispatchTouchEvent', { type, touchPoints })
  const drawn = (await drawnOf(page)).share
  const scrolled = await page.evaluate(() => scrollY)
  await touch('touchStart', fingers(100))
  for (const apart of [80, 60, 50, 40]) await touch('touchMove', fingers(apart))
  await touch('touchEnd', [])
  await drawnLess(page, 0.8 * drawn)
  assert.equal(await page.evaluate(() => scrollY), scrolled)

  await page.evaluate(() => scrollTo(0, 0))
  const place = await plane.boundingBox()
  assert.ok(place !== null)
  const finger = (y: number) => [{ x: place.x + place.width / 2, y, id: 0 }]
  const start = Math.min(780, place.y + 250)
  await touch('touchStart', finger(start))
  for (let up = 15; up <= 195; up += 15) {
    await touch('touchMove', finger(start - up))
    await page.waitForTimeout(16)
  }
  await touch('touchEnd', [])
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  for (let tries = 0; (await page.evaluate(() => scrollY)) < 50; tries += 1) {
    assert.ok(tries < 200, `one finger does not scroll the page of ${height} px`)
    await page.waitForTimeout(50)
  }
  await context.close()
}

/** Draws a line around the middle of the map. */
async function selectMiddle(page: Page): Promise<void> {
  const box = await page.locator('.plane').boundingBox()
  assert.ok(box !== null)
  const at = (right: number, down: number) =>
    [box.x + box.width * right, box.y + box.height * down] as const
  await page.getByRole('button', { name: 'Select by drawing' }).click()
  await page.mouse.move(...at(0.2, 0.2))
  await page.mouse.down()
  for (const [right, down] of [
    [0.8, 0.2],
    [0.8, 0.8],
    [0.2, 0.8],
  ] as const) {
    await page.mouse.move(...at(right, down), { steps: 5 })
  }
  await page.mouse.up()
}

/** Of the values that the legend lists. */
const dotColour = (page: Page, value: string) =>
  page
    .locator('.legend li')
    .filter({ has: page.getByText(value, { exact: true }) })
    .locator('circle')
    .getAttribute('fill')

/** From a project to its map: coloured by a field, zoomed, drawn around, and sent to somebody as a URL. */
export const mapped: Walk = async ({ visitor, page, browser, url, screenshots }) => {
  await visitor.open(`${url}/explore/ann/verses`)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  // The first map is computed meanwhile, by a thread of low priority.
  await page.locator('.plane').waitFor({ timeout: 300_000 })
  const colourBy = page.getByRole('combobox', { name: 'Colour by' })
  await colourBy.selectOption('ref.book')
  await page.locator('.legend').getByText('Matthew').waitFor()
  assert.match(page.url(), /\/explore\/ann\/verses\/map\?colour=ref\.book$/)
  await page.getByText(/^\d+ regions$/).click()
  const regions = page.getByRole('list', { name: 'Regions' })
  assert.match((await regions.innerText()).toLowerCase(), /bread|fishes|sabbath|boat|kingdom/)
  await page.waitForTimeout(300)
  const whole = (await drawnOf(page)).share
  assert.ok(whole > 0.02 && whole < 0.9, `points cover ${whole} of the map`)
  await visitor.inspect('map')
  const [luke, matthew] = [await dotColour(page, 'Luke'), await dotColour(page, 'Matthew')]
  await page.getByRole('button', { name: /^Matthew/ }).click()
  await drawnLess(page, 0.7 * whole)
  assert.equal(new URL(page.url()).searchParams.get('filter'), '{"ref.book":"Matthew"}')
  assert.deepEqual(
    [await dotColour(page, 'Luke'), await dotColour(page, 'Matthew')],
    [luke, matthew],
  )
  await page.getByRole('button', { name: 'Show all texts' }).click()
  const point = (await drawnOf(page)).place
  await page.mouse.click(point.x, point.y)
  await page.getByRole('list', { name: 'Neighbours' }).waitFor()
  await visitor.inspect('map-chosen')
  await page.getByRole('button', { name: 'Close' }).click()
  await colourBy.selectOption('ref.chapter')
  await page.getByRole('spinbutton', { name: 'From' }).fill('20')
  await page.keyboard.press('Enter')
  await drawnLess(page, 0.7 * whole)
  await visitor.inspect('map-numbers')
  await page.getByRole('button', { name: 'Show all texts' }).click()
  await colourBy.selectOption('ref.book')
  await page.locator('.legend').getByText('Matthew').waitFor()

  await page.locator('.plane').focus()
  for (const key of ['+', '+', 'ArrowLeft', '-', '0']) await page.keyboard.press(key)
  await selectMiddle(page)
  const selected = page.getByRole('region', { name: /^[\d,]+ texts selected$/ })
  await selected.locator('td .clamped').filter({ hasText: /\w/ }).first().waitFor()
  await selected.getByRole('button', { name: 'ref.book' }).click()
  await selected.locator('td').filter({ hasText: 'John' }).first().waitFor()
  const saving = page.waitForEvent('download')
  await selected.getByRole('button', { name: 'CSV' }).click()
  const lines = (await readFile(await (await saving).path(), 'utf8')).split('\r\n')
  assert.equal(lines[0], 'text_id,value')
  assert.match(lines[1] ?? '', /^john-\d+-\d+,John$/)
  const title = (await selected.getAttribute('aria-label')) ?? ''
  assert.equal(lines.length, Number(/^[\d,]+/.exec(title)?.[0].replaceAll(',', '')) + 2)
  await visitor.inspect('map-selected')
  await touched(browser, page.url(), screenshots)

  const other = await Visitor.come(browser)
  await other.open(page.url())
  await other.page.locator('.legend').getByText('Matthew').waitFor()
  await other.page.getByRole('region', { name: title, exact: true }).waitFor()
  await other.leave()

  await visitor.open(`${url}/explore/ann/secret/map`)
  await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await page.getByLabel('API key').waitFor()
}
