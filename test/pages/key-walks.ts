import assert from 'node:assert/strict'
import type { Visitor } from './visitor.ts'
import type { Walk } from './walks.ts'
import { hostile } from './world.ts'

export const statusOf = async (url: string, key: string) =>
  (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status

/** The key that is shown, once; it is in nothing that outlives its panel. */
export async function takeIssued({ page }: Visitor): Promise<string> {
  const issued = await page.getByLabel('The new key').inputValue()
  assert.match(issued, /^smb_/)
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href]),
  )
  assert.ok(!kept.includes(issued))
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByLabel('The new key').waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(issued))
  return issued
}

export const inDialog = ({ page }: Visitor, name: string) =>
  page.getByRole('dialog').getByRole('button', { name }).click()

/** A key is issued, used, rotated and revoked by who may. */
const managesKeys: Walk = async ({ visitor, page, url, key }) => {
  const [secret, odd] = [`${url}/v1/projects/ann/secret`, `${url}/v1/projects/ann/odd`]
  await visitor.open(`${url}/explore/keys`)
  await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await visitor.inspect('keys-locked')
  await visitor.giveKey(key)
  await page.getByRole('heading', { name: 'No named keys yet' }).waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('note book')
  await page.keyboard.press('Enter')
  await page.locator('#key-name:focus:invalid').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('notebook')
  await page.getByLabel('What it is for').fill(`${hostile[0]}`)
  await page.getByRole('radio', { name: 'Only these' }).check()
  await page.getByRole('checkbox', { name: 'ann/secret' }).check()
  await page.getByLabel(/^Ends after this day/).fill('2099-01-31')
  await visitor.inspect('keys-new')
  await page.getByRole('button', { name: 'Issue the key' }).click()
  await page.getByRole('heading', { name: 'The key notebook' }).waitFor()
  await page.getByRole('link', { name: 'ann/secret' }).waitFor()
  await visitor.inspect('keys-issued')
  const first = await takeIssued(visitor)
  assert.deepEqual([await statusOf(secret, first), await statusOf(odd, first)], [200, 403])
  await page.getByRole('button', { name: 'Rotate notebook' }).click()
  await visitor.inspect('keys-confirm')
  await inDialog(visitor, 'Rotate notebook')
  const second = await takeIssued(visitor)
  assert.deepEqual([await statusOf(secret, first), await statusOf(secret, second)], [401, 200])
  await page.reload()
  const item = page.getByRole('row').filter({ hasText: 'notebook' })
  assert.match(await item.innerText(), /2099, 23:59\t\d/)
  await page.getByRole('button', { name: 'Revoke notebook' }).click()
  await inDialog(visitor, 'Cancel')
  assert.equal(await statusOf(secret, second), 200)
  await page.getByRole('button', { name: 'Revoke notebook' }).click()
  await inDialog(visitor, 'Revoke notebook')
  await page.getByRole('heading', { name: 'No named keys yet' }).waitFor()
  assert.equal(await statusOf(secret, second), 401)
}

/** A named key manages none; the administrator those of all. */
const managesKeysOfOthers: Walk = async ({ visitor, page, url, adminKey }) => {
  // As on a busy machine: what is left over of one key must not show up beside the next.
  await page.addInitScript('requestAnimationFrame = (run) => setTimeout(run, 300)')
  await visitor.open(`${url}/explore`)
  await page.getByRole('button', { name: 'Use a key' }).click()
  await visitor.giveKey(adminKey)
  await page.getByText('Key of the administrator').waitFor()
  await visitor.open(`${url}/explore/keys`)
  await page.getByRole('link', { name: 'Choose a user' }).click()
  await page.waitForURL(/\/explore\/admin$/)
  await visitor.open(`${url}/explore/keys?user=nobody`)
  await page.getByRole('alert').filter({ hasText: "'nobody'" }).waitFor()
  // A browser would make another path of it, that of a user called keys.
  await visitor.open(`${url}/explore/keys?user=.`)
  await page.getByRole('alert').filter({ hasText: "'.' is not a handle" }).waitFor()
  await visitor.open(`${url}/explore/keys?user=ann`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('for-the-web')
  await page.getByRole('radio', { name: /^Write/ }).check()
  await page.getByRole('button', { name: 'Issue the key' }).click()
  const named = await takeIssued(visitor)
  await page.getByRole('button', { name: 'Forget key' }).click()
  await visitor.giveKey(named)
  await page.getByRole('heading', { name: 'This is the key ann/for-the-web' }).waitFor()
  await page.getByText(/^Only the first key of ann or the administrator/).waitFor()
  await visitor.inspect('keys-refused')
  await page.getByRole('button', { name: 'Forget key' }).click()
  await visitor.giveKey(adminKey)
  await page.getByRole('button', { name: 'Revoke for-the-web' }).click()
  await inDialog(visitor, 'Revoke for-the-web')
  await page.getByRole('heading', { name: 'No named keys yet' }).waitFor()
}

export const keyWalks: Readonly<Record<string, Walk>> = { managesKeys, managesKeysOfOthers }
