import { expect } from 'vitest'
import { embedding, newProject, type Project, upload } from '../factories.ts'
import { idsOf, searchBy, searchFrom } from './similars.ts'

/** A project with one document for each metadata, named by its key and all of one direction. */
export async function filterable(documents: Record<string, unknown>): Promise<Project> {
  const project = await newProject({}, { dimensions: 2 })
  const items = Object.entries(documents).map(([id, metadata]) =>
    embedding(id, [1, 1], { metadata }),
  )
  await upload(project, ...items, embedding('source', [1, 1]))
  return project
}

/** The ids that a filter leaves; both kinds of search must agree. */
export async function kept(project: Project, metadata_path: string, metadata_value: string) {
  const query = { metadata_path, metadata_value, limit: 200 }
  const found = await idsOf(searchFrom(project, 'source', query))
  const byVector = await idsOf(searchBy(project, [1, 1], query))
  expect(byVector.filter((id) => id !== 'source')).toEqual(found)
  return found
}
