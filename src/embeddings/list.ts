import type { Project, ProjectWithCollection } from '../access/project.ts'
import { countEmbeddings } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { jsonList } from '../json/json-text.ts'
import { type EmbeddingPage, type PageGroup, readPage } from './page.ts'
import { type Projection, presentEmbedding } from './projection.ts'

/**
 * Reads the first rows of a page. In a page of large texts, the others are read as the client takes
 * them.
 * @param page if it has a condition, all embeddings are looked at to count the `total_count` that
 *   satisfy it
 * @returns the list, and the text_id after which the next page begins, if there is one
 */
export async function listEmbeddings(
  db: Db,
  project: ProjectWithCollection,
  page: EmbeddingPage,
  showing: Projection,
) {
  const { collectionId, collection } = project
  const { limit, offset, after, condition } = page
  const total_count =
    condition === undefined
      ? collection.vectors
      : await countEmbeddings(db, collectionId, condition)
  const groups = readPage(db, collectionId, { ...page, looksAhead: true }, showing)
  const { value: first } = await groups.next()
  if (first === undefined) throw new Error('a page has a group')
  const fields = { total_count, limit, offset, ...(after !== undefined && { after }) }
  const list = await jsonList('embeddings', presentGroups(project, first, groups), fields)
  return { list, next: first.next }
}

async function* presentGroups(
  project: Project,
  first: PageGroup,
  others: AsyncGenerator<PageGroup>,
) {
  const present = ({ rows, isLast }: PageGroup) => ({
    items: rows.map((row) => presentEmbedding(project, row, {})),
    isLast,
  })
  try {
    yield present(first)
    for await (const group of others) yield present(group)
  } finally {
    await others.return(undefined)
  }
}
