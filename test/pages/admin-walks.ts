import assert from 'node:assert/strict'
import { giveKey } from './key-walks.ts'
import { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'

/** The figures of the service, for the administrator alone. */
const looksAfterService: Walk = async ({ browser, url, key, adminKey, screenshots }) => {
  const visitor = await Visitor.come(browser, screenshots)
  const { page } = visitor
  await visitor.open(`${url}/explore/admin`)
  await page.getByRole('heading', { name: "The administrator's key is needed" }).waitFor()
  await giveKey(visitor, key)
  await page.getByRole('alert').filter({ hasText: 'no permission' }).waitFor()
  assert.equal(await page.getByRole('table').count(), 0)
  await visitor.inspect('admin-refused')
  await page.getByRole('button', { name: 'Forget key' }).click()
  await giveKey(visitor, adminKey)
  const rowOf = (title: string, text: string) =>
    page
      .getByRole('region', { name: title, exact: true })
      .getByRole('row')
      .filter({ hasText: text })
  assert.match(await rowOf('Users', 'ann').innerText(), /ann\s+3\s+3,792\s+5\.\d MB\s+Keys/)
  assert.match(await rowOf('Projects', 'ann/verses').innerText(), /3,779\s+384\s+5\.\d MB/)
  await rowOf('Refusals', '/v1/admin/overview').waitFor()
  await visitor.inspect('admin')
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await visitor.inspect('admin-below')
  await fetch(`${url}/v1/users`)
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByRole('cell', { name: 'GET /v1/users', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Keys of ann' }).click()
  await page.getByRole('heading', { name: /^Named keys/ }).waitFor()
  await page.getByRole('link', { name: 'Administration' }).click()
  await page.getByRole('link', { name: 'ann/verses' }).first().click()
  await visitor.rows()
  await visitor.leave()
}

export const adminWalks: Readonly<Record<string, Walk>> = { looksAfterService }
