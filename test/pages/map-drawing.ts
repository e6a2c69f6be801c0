import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

interface Drawn {
  /** How much of the map is not its ground: the points that are drawn. */
  readonly share: number
  /** Where some point is drawn, near the middle of the map. */
  readonly place: { readonly x: number; readonly y: number }
}

export const drawnOf = (page: Page): Promise<Drawn> =>
  page.evaluate(() => {
    const source = document.querySelector<HTMLCanvasElement>('.plane canvas')
    const copy = document.createElement('canvas')
    const [width, height] = [source?.width ?? 1, source?.height ?? 1]
    copy.width = width
    copy.height = height
    const context = copy.getContext('2d')
    if (source === null || context === null) return { share: 0, place: { x: 0, y: 0 } }
    context.drawImage(source, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    let [drawn, x, y, least] = [0, 0, 0, Number.POSITIVE_INFINITY]
    for (let at = 3; at < data.length; at += 4) {
      const place = (at - 3) / 4
      const [column, row] = [place % width, Math.floor(place / width)]
      const far = Math.hypot(column - width / 2, row - height / 2)
      drawn += Number((data[at] ?? 0) > 0)
      if ((data[at] ?? 0) < 150 || far >= least) continue
      ;[x, y, least] = [column, row, far]
    }
    const box = source.getBoundingClientRect()
    const place = { x: box.left + (x / width) * box.width, y: box.top + (y / height) * box.height }
    return { share: drawn / (width * height), place }
  })

/** Waits until less than this is drawn. */
export async function drawnLess(page: Page, than: number): Promise<void> {
  const end = Date.now() + 60_000
  for (let share = 1; ; ) {
    share = (await drawnOf(page)).share
    if (share > 0 && share < than) return
    assert.ok(Date.now() < end, `${share} of the map is drawn, not less than ${than}`)
    await page.waitForTimeout(50)
  }
}
