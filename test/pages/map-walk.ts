import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'

/** How much of the map is not its ground: the points that are drawn. */
const drawnShare = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const source = document.querySelector<HTMLCanvasElement>('.plane canvas')
    const copy = document.createElement('canvas')
    const [width, height] = [source?.width ?? 1, source?.height ?? 1]
    copy.width = width
    copy.height = height
    const context = copy.getContext('2d')
    if (source === null || context === null) return 0
    context.drawImage(source, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    let drawn = 0
    for (let at = 3; at < data.length; at += 4) drawn += Number((data[at] ?? 0) > 0)
    return drawn / (width * height)
  })

/** Waits until less than this is drawn. */
async function drawnLess(page: Page, than: number): Promise<void> {
  const end = Date.now() + 60_000
  for (let share = 1; ; ) {
    share = await drawnShare(page)
    if (share > 0 && share < than) return
    assert.ok(Date.now() < end, `${share} of the map is drawn, not less than ${than}`)
    await page.waitForTimeout(50)
  }
}

/** Where some point is drawn, near the middle of the map. */
const drawnPlace = (page: Page): Promise<{ x: number; y: number }> =>
  page.evaluate(() => {
    const source = document.querySelector<HTMLCanvasElement>('.plane canvas')
    const copy = document.createElement('canvas')
    const [width, height] = [source?.width ?? 1, source?.height ?? 1]
    copy.width = width
    copy.height = height
    const context = copy.getContext('2d')
    const box = source?.getBoundingClientRect()
    if (source === null || context === null || box === undefined) return { x: 0, y: 0 }
    context.drawImage(source, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    let [x, y, least] = [0, 0, Number.POSITIVE_INFINITY]
    for (let at = 3; at < data.length; at += 4) {
      const place = (at - 3) / 4
      const [column, row] = [place % width, Math.floor(place / width)]
      const far = Math.hypot(column - width / 2, row - height / 2)
      if ((data[at] ?? 0) < 150 || far >= least) continue
      ;[x, y, least] = [column, row, far]
    }
    return { x: box.left + (x / width) * box.width, y: box.top + (y / height) * box.height }
  })

/** On a phone: a tap shows a text, two fingers zoom, and one scrolls the page. */
async function touched(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 400, height: 800 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  await page.goto(url)
  const plane = page.locator('.plane')
  await plane.waitFor()
  await plane.scrollIntoViewIfNeeded()
  await page.waitForTimeout(500)
  const { x, y } = await drawnPlace(page)
  await page.touchscreen.tap(x, y)
  await page.getByRole('list', { name: 'Neighbours' }).waitFor()

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
  const before = await drawnShare(page)
  const scrolled = await page.evaluate(() => scrollY)
  await touch('touchStart', fingers(100))
  for (const apart of [80, 60, 50, 40]) await touch('touchMove', fingers(apart))
  await touch('touchEnd', [])
  await drawnLess(page, 0.8 * before)
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

/** From a project to its map: coloured by a field, zoomed, drawn around, and sent to somebody as a URL. */
export const mapped: Walk = async ({ browser, url, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(`${url}/explore/ann/verses`)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  // The first map is computed meanwhile, by a thread of low priority.
  await page.locator('.plane').waitFor({ timeout: 300_000 })
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('ref.book')
  await page.getByText('Matthew', { exact: true }).waitFor()
  assert.match(page.url(), /\/explore\/ann\/verses\/map\?colour=ref\.book$/)
  await page.waitForTimeout(300)
  const whole = await drawnShare(page)
  assert.ok(whole > 0.02 && whole < 0.9, `points cover ${whole} of the map`)
  await visitor.inspect('map')
  await page.getByRole('button', { name: /^Matthew/ }).click()
  await drawnLess(page, 0.7 * whole)
  await page.getByRole('button', { name: 'Show all texts' }).click()
  const point = await drawnPlace(page)
  await page.mouse.click(point.x, point.y)
  await page.getByRole('list', { name: 'Neighbours' }).waitFor()
  await visitor.inspect('map-chosen')
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('ref.chapter')
  await page.getByRole('spinbutton', { name: 'From' }).fill('20')
  await drawnLess(page, 0.7 * whole)
  await visitor.inspect('map-numbers')
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('ref.book')
  await page.getByText('Matthew', { exact: true }).waitFor()

  const plane = page.locator('.plane')
  await plane.focus()
  for (const key of ['+', '+', 'ArrowLeft', '-', '0']) await page.keyboard.press(key)
  const box = await plane.boundingBox()
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
  const selected = page.getByRole('region', { name: 'Selected texts' })
  await selected.waitFor()
  assert.match(await selected.innerText(), /^[\d,]+ texts selected/)
  await selected.locator('.row .text').first().waitFor()
  const saving = page.waitForEvent('download')
  await selected.getByRole('button', { name: 'CSV' }).click()
  const lines = (await readFile(await (await saving).path(), 'utf8')).split('\r\n')
  assert.equal(lines[0], 'text_id,value')
  assert.match(lines[1] ?? '', /^\w+-\d+-\d+,(Matthew|Mark|Luke|John)$/)
  const count = Number(/^[\d,]+/.exec(await selected.innerText())?.[0].replaceAll(',', ''))
  assert.equal(lines.length, count + 2)
  await visitor.inspect('map-selected')
  await touched(browser, page.url())

  const other = await Visitor.come(browser)
  await other.open(page.url())
  await other.page.getByText('Matthew', { exact: true }).waitFor()
  await other.leave()

  await visitor.open(`${url}/explore/ann/secret/map`)
  await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await page.getByLabel('API key').waitFor()
  await visitor.leave()
}
