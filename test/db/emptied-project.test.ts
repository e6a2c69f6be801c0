import { expect, it } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import { removeOne } from '../../src/embeddings/delete.ts'
import { hashKey } from '../../src/secrets/keys.ts'
import { adminKey, testApp } from '../support/app.ts'
import { asAdmin } from '../support/client.ts'
import { embedding, newProject, upload } from '../support/factories.ts'

it('deletes one embedding of a project that was emptied since it was found', async () => {
  const { database } = await testApp()
  const project = await newProject()
  const { owner, handle } = project
  await upload(project, embedding('one', [1, 2, 3]))
  const access = createAccess(database, hashKey(adminKey))
  const find = () => access.project(hashKey(adminKey), { owner: owner.handle, handle })
  const { thing: found } = await find()
  const path = `/v1/embeddings/${owner.handle}/${handle}`
  await asAdmin('DELETE', path)
  await upload(project, embedding('one', [1, 2, 3]), embedding('other', [1, 2, 3]))
  if (found === undefined) return expect.fail()
  const { db } = database.short
  const { collectionId, collection } = (await find()).thing ?? expect.fail()
  expect(collectionId).not.toBe(found.collectionId)
  const { revision } = collection
  expect(await removeOne(db, found, 'one')).toEqual({
    collectionId,
    after: revision,
    revision: revision + 1,
  })
  await expect(removeOne(db, found, 'one')).rejects.toMatchObject({ kind: 'not-found' })
  expect((await asAdmin('GET', path)).body.embeddings).toMatchObject([{ text_id: 'other' }])
})
