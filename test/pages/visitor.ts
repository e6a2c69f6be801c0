import assert from 'node:assert/strict'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'

const patienceMs = 60_000

/** Somebody who looks at the pages, with what the browser complains of meanwhile. */
export class Visitor {
  readonly complaints: string[] = []
  readonly page: Page
  readonly #context: BrowserContext
  readonly #screenshots: string | undefined

  private constructor(context: BrowserContext, page: Page, screenshots: string | undefined) {
    this.#context = context
    this.page = page
    this.#screenshots = screenshots
    page.setDefaultTimeout(patienceMs)
    page.on('pageerror', ({ message }) => this.complaints.push(message))
    page.on('dialog', (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      // That an answer is no success is what some of these steps are about.
      if (
        message.type() === 'error' &&
        !/^Failed to load resource: the server responded/.test(message.text())
      )
        this.complaints.push(message.text())
    })
  }

  static async come(browser: Browser, screenshots?: string): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    return new Visitor(context, await context.newPage(), screenshots)
  }

  async open(url: string): Promise<void> {
    // Else a URL that differs in what is behind the # alone would not be opened anew.
    await this.page.goto('about:blank')
    await this.page.goto(url)
  }

  /** The text_ids that are shown, when what was asked for is there. */
  async rows(): Promise<string[]> {
    await this.page.locator('section[aria-label=Texts][aria-busy=false]').waitFor()
    return this.page
      .locator('section[aria-label=Texts] > .rows .text-id, .group .text-id')
      .allInnerTexts()
  }

  /** Waits until the rows are so. */
  async rowsWhen(is: (rows: string[]) => boolean): Promise<string[]> {
    const end = Date.now() + patienceMs
    for (;;) {
      const rows = await this.rows()
      if (is(rows)) return rows
      if (Date.now() > end)
        throw new Error(`the rows are still ${rows.join(', ')} at ${this.page.url()}`)
      await this.page.waitForTimeout(50)
    }
  }

  status(): Promise<string> {
    return this.page.locator('.status').innerText()
  }

  async search(text: string): Promise<void> {
    const box = this.page.getByRole('combobox', { name: /^Search by/ })
    await box.fill(text)
    await box.press('Enter')
  }

  async giveKey(key: string): Promise<void> {
    await this.page.getByLabel('API key').fill(key)
    await this.page.keyboard.press('Enter')
  }

  /** Light and dark, wide and narrow: nothing is too wide, and axe finds nothing. */
  async inspect(name: string): Promise<void> {
    // Rows are paler while others are loaded, and for a moment afterwards.
    await this.page.waitForFunction(
      () =>
        document.querySelector('section[aria-label=Texts][aria-busy=true]') === null &&
        document.getAnimations().length === 0,
    )
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme })
      for (const width of [1280, 400]) {
        await this.page.setViewportSize({ width, height: 900 })
        // The header would scroll by itself.
        const tooWide = await this.page.evaluate(() => {
          const header = document.querySelector('.top')
          const inHeader = header === null ? 0 : header.scrollWidth - header.clientWidth
          return Math.max(document.documentElement.scrollWidth - innerWidth, inHeader)
        })
        assert.ok(tooWide <= 0, `${name} at ${width} px is ${tooWide} px too wide`)
        if (this.#screenshots !== undefined) {
          const path = join(this.#screenshots, `${name}-${colorScheme}-${width}.png`)
          await this.page.screenshot({ path })
        }
        assert.deepEqual(
          await this.#findings(),
          [],
          `axe finds in ${name}, ${colorScheme}, ${width} px`,
        )
      }
    }
    await this.page.emulateMedia({ colorScheme: 'light' })
    await this.page.setViewportSize({ width: 1280, height: 900 })
  }

  async #findings(): Promise<string[]> {
    // By the debugger, which no policy of a page keeps from running a script.
    const session = await this.#context.newCDPSession(this.page)
    const evaluate = (expression: string) =>
      session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    await evaluate(axe.source)
    const { result } = await evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html)].join(" ")))',
    )
    await session.detach()
    return Array.isArray(result.value) ? result.value : ['axe has not run']
  }

  /** @param bytes a second, at most, that come from now on; -1 for any number */
  async slowDown(bytes: number): Promise<void> {
    const session = await this.#context.newCDPSession(this.page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, uploadThroughput: -1, downloadThroughput: bytes },
    })
  }

  cookies() {
    return this.#context.cookies()
  }

  /** Another tab of the same browser. */
  async newTab(): Promise<Page> {
    return this.#context.newPage()
  }

  async leave(): Promise<void> {
    await this.#context.close()
    assert.deepEqual(this.complaints, [])
  }
}
