import type { Browser, Locator, Page } from 'playwright-core'

/** For a busy machine. */
const patienceMs = 180_000

/** What the page says after Execute. */
export interface Outcome {
  /** As the page shows it, such as `200`; undefined where the page has sent nothing. */
  readonly status: string | undefined
  /** The command that the page shows for what it has sent, or why it has not. */
  readonly sent: string
  readonly answer: string
}

/** An operation as the page lists it. */
export interface ListedOperation {
  readonly id: string
  readonly method: string
  readonly title: string
  readonly block: Locator
}

/** /docs in a browser, used as a person uses it. */
export class DocsPage {
  readonly #page: Page
  /** What the browser has complained of. */
  readonly complaints: string[] = []

  private constructor(page: Page) {
    this.#page = page
    page.on('pageerror', (error) => this.complaints.push(error.message))
  }

  static async open(browser: Browser, url: string): Promise<DocsPage> {
    return DocsPage.openIn(await browser.newPage({ viewport: { width: 1280, height: 1000 } }), url)
  }

  static async openIn(page: Page, url: string): Promise<DocsPage> {
    page.setDefaultTimeout(patienceMs)
    await page.goto(`${url}/docs`, { waitUntil: 'commit' })
    await page.locator('.opblock').first().waitFor()
    return new DocsPage(page)
  }

  /** Gives a key in the dialog behind the button Authorize. */
  async authorize(key: string): Promise<void> {
    await this.#page.locator('.scheme-container .authorize').click()
    const dialog = this.#page.locator('.dialog-ux')
    await dialog.locator('input').fill(key)
    await dialog.getByRole('button', { name: 'Apply credentials' }).click()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await dialog.waitFor({ state: 'detached' })
  }

  async operations(): Promise<ListedOperation[]> {
    const blocks = await this.#page.locator('.opblock').all()
    return Promise.all(
      blocks.map(async (block) => {
        const method = await block.locator('.opblock-summary-method').innerText()
        const path = await block.locator('.opblock-summary-path').getAttribute('data-path')
        const at = (await block.getAttribute('id')) ?? ''
        // By its id, since what is found by its place may change.
        return {
          id: at.replace(/^.*-/, ''),
          method,
          title: `${method} ${path}`,
          block: this.#page.locator(`[id="${at}"]`),
        }
      }),
    )
  }

  /** Opens an operation to be tried out. @returns the media types of bodies that it can send, or one undefined */
  async tryOut({ block }: ListedOperation): Promise<(string | undefined)[]> {
    await block.locator('.opblock-summary-control').click()
    await block.locator('.try-out__btn').click()
    const types = await this.#bodyTypes(block).locator('option').allInnerTexts()
    return types.length === 0 ? [undefined] : types
  }

  #bodyTypes(block: Locator): Locator {
    return block.locator('.opblock-section-request-body select.content-type')
  }

  /** Presses Execute, with everything as the page has filled it in but the type of the body. */
  async execute({ block }: ListedOperation, bodyType: string | undefined): Promise<Outcome> {
    if (bodyType !== undefined) await this.#bodyTypes(block).selectOption(bodyType)
    const clear = block.locator('.btn-clear')
    if (await clear.isVisible()) await clear.click()
    await block.locator('.btn.execute').click()
    const answered = block.locator('.live-responses-table .response-col_status').last()
    const refused = block.locator('.invalid, .validation-errors')
    await answered.or(refused).first().waitFor()
    if (!(await answered.isVisible())) {
      const problems = await block.locator('.validation-errors').allInnerTexts()
      const fields = await block.locator('tr:has(.invalid)').allInnerTexts()
      return { status: undefined, sent: [...problems, ...fields].join('; '), answer: '' }
    }
    const row = block.locator('.live-responses-table tr.response').last()
    return {
      status: (await row.locator('.response-col_status').innerText()).split(/\s/, 1)[0],
      sent: await block.locator('.request-snippets .curl').innerText(),
      answer: await row.locator('.response-col_description').innerText(),
    }
  }

  async close({ block }: ListedOperation): Promise<void> {
    await block.locator('.opblock-summary-control').click()
  }
}
