import { expect, it } from 'vitest'
import { changesAfter, countChange, maxNoted } from '../../src/collections/changes.ts'
import { createCollection } from '../../src/collections/collections.ts'
import { startOwnService } from '../support/servers/own-service.ts'

it('reads of many changes the first, no more text_ids at once than are worth it', async () => {
  const { database, close } = await startOwnService()
  const { db } = database.search
  const collectionId = await createCollection(db)
  const note = (textIds: readonly string[]) =>
    countChange(db, collectionId, textIds, { vectors: 0 })
  const half = Array.from({ length: maxNoted / 2 }, (_, at) => `t${at}`)
  for (let times = 0; times < 6; times += 1) await note(half)
  await note(['last'])
  const revisions: number[] = []
  for (let known = 0; known < 7; ) {
    const changes = (await changesAfter(db, collectionId, known)) ?? expect.fail()
    expect(new Set(changes.textIds)).toEqual(new Set(known === 6 ? ['last'] : half))
    known = changes.revision
    revisions.push(known)
  }
  expect(revisions).toEqual([3, 6, 7])
  expect(await changesAfter(db, collectionId, 7)).toBeUndefined()
  await note(half.map((textId) => `${textId} too`))
  await note([...half, 'one'])
  await note(half)
  expect(await changesAfter(db, collectionId, 7)).toBeUndefined()
  // In steps, of different embeddings too.
  const sizes: number[] = []
  for (let known = 7; known < 10; ) {
    const changes = (await changesAfter(db, collectionId, known, true)) ?? expect.fail()
    sizes.push(changes.textIds.length)
    known = changes.revision
  }
  expect(sizes).toEqual([half.length, half.length + 1, half.length])
  await close()
})
