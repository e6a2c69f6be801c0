import type { Project, ProjectWithCollection } from '../access/project.ts'
import { countEmbeddings } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { jsonList } from '../json/json-text.ts'
import { type EmbeddingPage, type PageGroup, readPage } from './page.ts'
import { type Projection, presentEmbedding } from './projection.ts'

/**
 * Reads the first of it; the rest of a page of large texts as it is taken.
 * @param page where it has a condition, `total_count` is how many satisfy it: all are looked at
 * @returns the list, and behind which text_id the next page begins, if there is one
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
