import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { DocsPage } from './docs-page.ts'
import type { Server } from './server.ts'

const stored = (page: Page) =>
  page.evaluate(() => [{ ...sessionStorage }, { ...localStorage }] as const)

/** A key that is given in /docs is there after a reload and on the other pages of the tab, and nowhere else. */
export async function keepsKeyInTab(browser: Browser, { url, key }: Server): Promise<void> {
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(`${url}/explore`)
  // As an earlier version has left it.
  await tab.evaluate(() => localStorage.setItem('authorized', '{}'))
  const docs = await DocsPage.openIn(tab, url)
  await docs.authorize(key)
  assert.deepEqual(await stored(tab), [{ 'semblance-key': key }, {}])
  await tab.reload()
  const closed = tab.locator('.scheme-container .authorize.locked')
  await closed.waitFor()
  await tab.goto(`${url}/explore`)
  await tab.getByText('Key of the administrator').waitFor()
  const other = await context.newPage()
  await DocsPage.openIn(other, url)
  assert.equal(await other.locator('.scheme-container .authorize.locked').count(), 0)
  await DocsPage.openIn(tab, url)
  await closed.click()
  await tab.locator('.dialog-ux').getByRole('button', { name: 'Remove authorization' }).click()
  assert.deepEqual(await stored(tab), [{}, {}])
  assert.deepEqual(docs.complaints, [])
  await context.close()
}
