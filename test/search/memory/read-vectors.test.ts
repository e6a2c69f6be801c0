import { expect, it } from 'vitest'
import { readVectors } from '../../../src/search/memory/read-vectors.ts'
import { testApp } from '../../support/app.ts'
import { collectionOf, projectOf } from '../../support/data/indexed.ts'
import { embedding, upload } from '../../support/factories.ts'

const dimensions = 2_000
const vector = new Array<number>(dimensions).fill(1)

it('reading ends at what was last when it began, also while more is uploaded in order', async () => {
  const textIds = Array.from({ length: 300 }, (_, at) => `t${at + 100}`)
  const project = await projectOf(textIds.map((text_id) => ({ text_id, vector })))
  const collectionId = await collectionOf(project)
  const { db } = (await testApp()).database.search
  const read: string[] = []
  for await (const rows of readVectors(db, { collectionId, dimensions })) {
    await upload(project, embedding(`t${read.length + 500}`, vector))
    read.push(...rows.map(({ textId }) => textId))
  }
  expect(read).toEqual(textIds)
})
