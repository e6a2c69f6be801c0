import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
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

/** From a project to its map: coloured by a field, zoomed, drawn around, and sent to somebody as a URL. */
export const mapped: Walk = async ({ browser, url, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(`${url}/explore/ann/verses`)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await page.locator('.plane').waitFor()
  await page.getByRole('combobox', { name: 'Colour by' }).selectOption('ref.book')
  await page.getByText('Matthew', { exact: true }).waitFor()
  assert.match(page.url(), /\/explore\/ann\/verses\/map\?colour=ref\.book$/)
  await page.waitForTimeout(300)
  const whole = await drawnShare(page)
  assert.ok(whole > 0.02 && whole < 0.9, `points cover ${whole} of the map`)
  await visitor.inspect('map')

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
  await visitor.inspect('map-selected')

  const other = await Visitor.come(browser)
  await other.open(page.url())
  await other.page.getByText('Matthew', { exact: true }).waitFor()
  await other.leave()

  await visitor.open(`${url}/explore/ann/secret/map`)
  await page.getByRole('alert').waitFor()
  await page.getByLabel('API key').waitFor()
  await visitor.leave()
}
