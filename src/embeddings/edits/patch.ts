import { and, eq, not, sql } from 'drizzle-orm'
import type { Database, Db } from '../../db/database.ts'
import { sharedLock } from '../../db/row-locks.ts'
import { collections, embeddings, projects } from '../../db/schema.ts'
import { badRequest, changedMeanwhile, noSuchProject } from '../../errors.ts'
import { mergePatch } from '../../json/merge-patch.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import type { Project } from '../../projects/project.ts'
import { allParts } from '../include/parts.ts'
import { isObject, type Metadata, metadataText } from '../metadata.ts'
import { type Showing, type StoredRow, shownColumns, vectorAsShown } from '../shown.ts'

/** What is to change; a part that is undefined stays, null is removed. */
export interface EmbeddingPatch {
  readonly text: string | null | undefined
  /** A JSON Merge Patch. */
  readonly metadata: Metadata | null | undefined
}

/** How often it is tried again when others change the same embedding. */
const mostTries = 50

interface Content {
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
}

/** Only the parts that are patched: another request may change the others at the same time. */
type Change = {
  readonly [Part in keyof Content]?: { readonly from: string | null; readonly to: string | null }
}

/**
 * Changes text and metadata of an embedding. What was read, merged and validated is written only where it is
 * still the same, so that no change of another request is lost.
 * @returns the embedding as it is then; undefined when there is none
 * @throws 400 when the merged metadata break a limit or the metadataScheme, 409 when others change it all the time
 */
export async function patchEmbedding(
  database: Database,
  schemes: MetadataSchemes,
  project: Project,
  textId: string,
  patch: EmbeddingPatch,
  showing: Showing,
): Promise<StoredRow | undefined> {
  const { db } = database.short
  for (let tries = 0; tries < mostTries; tries += 1) {
    const read = await readContent(db, project, textId, showing)
    if (read === undefined) return undefined
    const { row, content } = read
    const wanted = await changeOf(schemes, project, textId, content, patch)
    if (wanted.text === undefined && wanted.metadata === undefined) return row
    const change = await writeContent(db, project, textId, wanted)
    if (change === 'equal') return row
    if (change === 'lost') continue
    const { text, metadata, ...revised } = change
    // Vectors stay, but what is known of the collection's metadata is no longer so.
    database.proposer?.changed({ ...revised, removed: [], added: [] })
    const { parts } = showing
    return {
      ...row,
      text: parts.text ? text : null,
      metadata: parts.metadata ? metadata : null,
    }
  }
  throw changedMeanwhile()
}

/** The row as it is shown, and what the patch is applied to, whether it is shown or not. */
async function readContent(
  db: Db,
  project: Project,
  textId: string,
  { parts, vectorFormat }: Showing,
) {
  const showing = { parts: { ...allParts, vector: parts.vector }, vectorFormat }
  const [found] = await db
    .select({
      textId: embeddings.textId,
      vectorDim: embeddings.vectorDim,
      createdAt: embeddings.createdAt,
      ...shownColumns(embeddings, showing),
    })
    .from(embeddings)
    .innerJoin(projects, eq(projects.collectionId, embeddings.collectionId))
    .where(and(eq(projects.projectId, project.projectId), eq(embeddings.textId, textId)))
  if (found === undefined) return undefined
  const { text, metadata } = found
  const row = {
    ...found,
    text: parts.text ? text : null,
    metadata: parts.metadata ? metadata : null,
  }
  return { row: vectorAsShown(row, showing), content: { text, metadata } }
}

async function changeOf(
  schemes: MetadataSchemes,
  project: Project,
  textId: string,
  stored: Content,
  patch: EmbeddingPatch,
): Promise<Change> {
  const text = patch.text !== undefined &&
    patch.text !== stored.text && { text: { from: stored.text, to: patch.text } }
  if (patch.metadata === undefined) return { ...text }
  const before: unknown = stored.metadata === null ? null : JSON.parse(stored.metadata)
  const after = mergePatch(before, patch.metadata)
  const metadata = isObject(after) ? textOf(after) : null
  await checkMetadata(schemes, project, textId, metadata ?? '{}')
  return { ...text, metadata: { from: stored.metadata, to: metadata } }
}

async function checkMetadata(
  schemes: MetadataSchemes,
  { ownerId, metadataScheme }: Project,
  textId: string,
  metadata: string,
): Promise<void> {
  if (metadataScheme === null) return
  const [violation] = await schemes.findViolations(ownerId, metadataScheme, [metadata], 1)
  if (violation === undefined) return
  throw badRequest(
    `metadata validation failed for text_id '${textId}': the merged metadata does not satisfy the project's metadataScheme:${violation.lines.map((line) => `\n  - ${line}`).join('')}`,
  )
}

function textOf(metadata: Metadata): string {
  const serialized = metadataText(metadata)
  if ('text' in serialized) return serialized.text
  throw badRequest(`metadata: ${serialized.problem}, also when it is merged`)
}

/**
 * Writes in one statement, which holds the project. Of two that change one embedding, the second finds it changed.
 * @returns 'equal' where nothing had to be written, 'lost' where the embedding or the project is not as it was read
 * @throws 404 when the project is gone
 */
async function writeContent(db: Db, project: Project, textId: string, change: Change) {
  const { text, metadata } = change
  const held = db
    .$with('held')
    .as(
      db
        .select({ collectionId: projects.collectionId, scheme: projects.metadataScheme })
        .from(projects)
        .innerJoin(sharedLock('project', projects.projectId), sql`true`)
        .where(eq(projects.projectId, project.projectId))
        .for('share', { of: projects }),
    )
  const isAsRead = and(
    sql`${embeddings.collectionId} = (select ${held.collectionId} from ${held})`,
    eq(embeddings.textId, textId),
    text && sql`${embeddings.text} is not distinct from ${text.from}::text`,
    metadata && sql`${embeddings.metadata} is not distinct from ${metadata.from}::jsonb`,
    sql`(select ${held.scheme} from ${held}) is not distinct from ${project.metadataScheme}::text`,
  )
  // Whether metadata are the same is known to the database, which has them in a form of its own.
  const differs =
    text === undefined && metadata !== undefined
      ? sql`${embeddings.metadata} is distinct from ${metadata.to}::jsonb`
      : sql`true`
  const same = db.$with('same').as(
    db
      .select({ one: sql`1`.as('one') })
      .from(embeddings)
      .where(and(isAsRead, not(differs))),
  )
  const changed = db.$with('changed').as(
    db
      .update(embeddings)
      .set({
        ...(text && { text: text.to }),
        ...(metadata && { metadata: sql`${metadata.to}::jsonb` }),
      })
      .where(and(isAsRead, differs))
      .returning({
        collectionId: embeddings.collectionId,
        text: embeddings.text,
        metadata: sql<string | null>`${embeddings.metadata}::text`.as('printed'),
      }),
  )
  const counted = db.$with('counted').as(
    db
      .update(collections)
      .set({ revision: sql`${collections.revision} + 1` })
      .where(sql`${collections.collectionId} = (select ${changed.collectionId} from ${changed})`)
      .returning({ collectionId: collections.collectionId, revision: collections.revision }),
  )
  const [found] = await db
    .with(held, same, changed, counted)
    .select({
      scheme: held.scheme,
      isSame: sql<boolean>`exists (select from ${same})`,
      collectionId: counted.collectionId,
      revision: counted.revision,
      text: changed.text,
      metadata: changed.metadata,
    })
    .from(held)
    .leftJoin(counted, sql`true`)
    .leftJoin(changed, sql`true`)
  if (found === undefined) throw noSuchProject(project.owner, project.handle)
  if (found.scheme !== project.metadataScheme) throw changedMeanwhile()
  if (found.isSame) return 'equal'
  const { collectionId, revision, text: textNow, metadata: metadataNow } = found
  if (collectionId === null || revision === null) return 'lost'
  return { collectionId, revision, text: textNow, metadata: metadataNow }
}
