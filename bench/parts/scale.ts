import { note } from '../../test/shared/time.ts'
import type { PostgresBench } from '../bench.ts'
import { measureIndexes } from '../scale/indexes.ts'
import { measureProjects } from '../scale/projects.ts'
import { measureStorage } from '../scale/storage.ts'

/** What docs/scale.md reckons with: bytes, seconds and milliseconds of one vector, one index, one project. */
export async function scale(bench: PostgresBench): Promise<void> {
  const { dimensions, indexes, projects } = bench.plan.scale
  for (const each of dimensions) {
    note(`scale: ${each} dimensions`)
    await measureStorage(bench, each)
  }
  note(`scale: up to ${Math.max(...indexes)} indexes`)
  await measureIndexes(bench, indexes)
  for (const each of projects) {
    note(`scale: ${each} projects`)
    await measureProjects(bench, each)
  }
}
