import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** How much of the map is not its ground: the points that are drawn. */
export const drawnShare = (page: Page): Promise<number> =>
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
export async function drawnLess(page: Page, than: number): Promise<void> {
  const end = Date.now() + 60_000
  for (let share = 1; ; ) {
    share = await drawnShare(page)
    if (share > 0 && share < than) return
    assert.ok(Date.now() < end, `${share} of the map is drawn, not less than ${than}`)
    await page.waitForTimeout(50)
  }
}

/** Where some point is drawn, near the middle of the map. */
export const drawnPlace = (page: Page): Promise<{ x: number; y: number }> =>
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
