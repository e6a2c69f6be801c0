import assert from 'node:assert/strict'
import { ask } from './ask.ts'
import { startProxy } from './site.ts'
import { uploadsFiles } from './upload-walks.ts'
import type { Walk, Walked } from './walks.ts'

/** A project is made, filled, published, shared and deleted, with one's key and behind a proxy. */
const makesProject: Walk = async (walked) => {
  const { visitor, page, key, adminKey } = walked
  const proxy = await startProxy(walked.url, '/deep/path')
  const { url } = proxy
  await visitor.open(`${url}/explore`)
  await page.getByRole('link', { name: 'New project' }).click()
  await page.getByRole('heading', { name: 'A key is needed' }).waitFor()
  await visitor.giveKey(adminKey)
  await page.getByText('The administrator owns no projects').waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await visitor.giveKey(key)
  await page.getByLabel(/^Name/).fill('verses')
  await page.getByRole('radio', { name: /^My files have them/ }).check()
  await page.getByLabel(/^Model that made/).fill('My Model 1.0')
  await page.getByLabel('Dimensions').fill('3')
  await visitor.inspect('new-project')
  const create = page.getByRole('button', { name: 'Create the project' })
  await create.click()
  await page.getByRole('alert').filter({ hasText: "'ann/verses' already exists" }).waitFor()
  await page.getByLabel(/^Name/).fill('made here')
  await create.click()
  await page.locator('#field-handle:focus:invalid').waitFor()
  await page.getByLabel(/^Name/).fill('made')
  await create.click()
  await page.waitForURL(`${url}/explore/ann/made/upload`)
  await page.getByLabel(/^Choose a file/).waitFor()
  await visitor.inspect('upload')
  await uploadsFiles(visitor)
  await manages({ ...walked, url })
}

async function manages({ visitor, page, url, adminKey }: Walked): Promise<void> {
  await ask({ url, key: adminKey }, 'PUT', 'users/ben', {})
  const isPublic = async () => (await fetch(`${url}/v1/projects/ann/made`)).ok
  await page.getByRole('link', { name: 'ann/made' }).click()
  const meaning = page.getByRole('option', { name: 'Meaning (no provider)', exact: true })
  await meaning.waitFor({ state: 'attached' })
  await page.getByRole('link', { name: 'Manage' }).click()
  await page.getByText('Nobody.').waitFor()
  await page.getByText('there is no search by meaning').waitFor()
  await page.getByRole('button', { name: 'Make it public' }).click()
  await page.getByText(/read, search and export 8 texts/).waitFor()
  await visitor.inspect('manage-publish')
  assert.equal(await isPublic(), false)
  await page.getByRole('button', { name: 'Publish ann/made' }).click()
  await page.getByText('Public: everybody').waitFor()
  const address = page.getByLabel('Public address')
  assert.equal(await address.inputValue(), `${url}/explore/ann/made`)
  await visitor.inspect('manage-published')
  assert.equal(await isPublic(), true)
  await page.getByRole('button', { name: 'Make it private' }).click()
  await page.getByText('Private: only you').waitFor()
  assert.equal(await isPublic(), false)
  await page.getByLabel('User').fill('nobody')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: "'nobody'" }).waitFor()
  await page.getByLabel('User').fill('ben')
  await page.getByLabel('Role').selectOption('editor')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByText('ben is now an editor').waitFor()
  await page.getByRole('button', { name: 'Remove ben' }).click()
  await page.getByText('Nobody.').waitFor()
  await page.getByRole('button', { name: 'Delete the project' }).click()
  await page.getByText('8 texts with vectors').waitFor()
  const remove = page.getByRole('button', { name: 'Delete ann/made' })
  await page.getByLabel(/^Type ann/).fill('ann/mad')
  assert.ok(await remove.isDisabled())
  await page.getByLabel(/^Type ann/).fill('ann/made')
  await visitor.inspect('manage-delete')
  await remove.click()
  await page.waitForURL(`${url}/explore`)
  await page.getByText('Deleted ann/made').waitFor()
}

export const makingWalks: Readonly<Record<string, Walk>> = { makesProject }
