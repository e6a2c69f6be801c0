import { testApp } from '../app.ts'
import type { Answer } from '../client.ts'
import type { Project } from '../factories.ts'
import { waitUntil } from '../wait.ts'
import { storedCollection } from './indexed.ts'

/** Whether vectors in memory have answered a search. */
export const isFromMemory = ({ headers }: Pick<Answer, 'headers'>) =>
  headers.get('server-timing')?.includes('memory') === true

/** Where vectors are cached: until those of the project are. */
export async function untilCached(project: Project, dimensions = 24): Promise<void> {
  const { vectorCache } = await testApp()
  if (!vectorCache.isOn) return
  const query = { vector: new Float32Array(dimensions).fill(1) }
  await waitUntil(async () => {
    const collection = await storedCollection(project)
    if (collection === undefined) return false
    const request = { query, count: 1, exact: true }
    return (await vectorCache.nearest({ ...collection, dimensions }, request)) !== undefined
  })
}
