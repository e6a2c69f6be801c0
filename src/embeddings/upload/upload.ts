import { eq, sql } from 'drizzle-orm'
import type { Project, ProjectInstance } from '../../access/project.ts'
import type { ChangeListener } from '../../collections/change-listener.ts'
import { countAdded } from '../../collections/collections.ts'
import { findTextIds } from '../../collections/keys.ts'
import type { Database, Db } from '../../db/database.ts'
import { sharedLock } from '../../db/row-locks.ts'
import { instances } from '../../db/schema.ts'
import { badRequest, conflict } from '../../errors.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import { lockProject } from '../../projects/lock.ts'
import { ProviderRefusal } from '../../providers/answers.ts'
import { encodeRows, type StagedRow } from '../../vectors/copy-format.ts'
import { alreadyThere, checkMetadata, RefusedItem, refuseRepeated, vectorOf } from './checks.ts'
import type { Upload } from './schemas.ts'
import { type ConflictRule, storeRows, type Written } from './staging.ts'

/** Embeds texts. The vectors are in the order of the texts. */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>

/** The text_ids of a batch by outcome, in the order of the batch. */
export interface StoredUpload {
  readonly uploaded: readonly string[]
  readonly replaced: readonly string[]
  /** They existed already, and were not compared. */
  readonly skipped: readonly string[]
  /** They existed already, and are the same. */
  readonly unchanged: readonly string[]
}

interface Storing {
  readonly database: Database
  readonly vectorCache: ChangeListener
  readonly schemes: MetadataSchemes
  /** Makes the vectors of texts without one; undefined if nobody asked for that. */
  readonly embed: EmbedTexts | undefined
}

/**
 * Stores a batch, all or nothing.
 * @param rule for text_ids that exist already
 * @throws 400 if an item does not fit the project's instance or metadataScheme, 409 if a text_id is
 *   in the batch twice or, under the rule 'error', exists already; each names the first bad item by
 *   index and text_id. Also throws what `embed` throws
 */
export async function storeEmbeddings(
  { database, vectorCache, schemes, embed }: Storing,
  project: Project,
  uploads: readonly Upload[],
  rule: ConflictRule,
): Promise<StoredUpload> {
  const instance = instanceOf(project)
  const given = uploads.map((upload, index) => vectorOf(upload, index, instance))
  await checkMetadata(schemes, project, uploads)
  refuseRepeated(uploads)
  const made =
    embed && given.includes(undefined)
      ? await embedMissing(database.search.db, embed, project, uploads, rule)
      : undefined
  const rows = uploads.flatMap((upload, index): StagedRow[] => {
    const { textId, text, metadata } = upload
    const vector =
      given[index] ?? vectorOf({ ...upload, vector: made?.get(textId) }, index, instance)
    return vector === undefined ? [] : [{ textId, vector, text, metadata }]
  })
  const bytes = encodeRows(rows)
  const { written, change } = await database.bulk.transaction(async (tx) => {
    const collectionId = await holdUnchanged(tx.db, project, instance)
    const { dimensions } = instance
    const staged = { count: rows.length, bytes }
    const written = await storeRows(tx, collectionId, dimensions, staged, rule)
    const { added, replaced } = written
    const taken = rule === 'error' ? rows.findIndex(({ textId }) => !added.has(textId)) : -1
    if (taken !== -1) throw alreadyThere(project, rows[taken]?.textId ?? '', taken)
    if (added.size + replaced.size === 0) return { written, change: undefined }
    return { written, change: await countAdded(tx.db, collectionId, written, dimensions) }
  })
  if (change !== undefined) {
    const changed = rows.filter(isIn(written)).map(({ textId, vector }) => ({ textId, vector }))
    vectorCache.changed({ ...change, removed: [...written.replaced], added: changed })
  }
  return storedOf(uploads, written, rule)
}

const isIn =
  ({ added, replaced }: Written) =>
  ({ textId }: Pick<StagedRow, 'textId'>) =>
    added.has(textId) || replaced.has(textId)

function storedOf(uploads: readonly Upload[], written: Written, rule: ConflictRule): StoredUpload {
  const idsOf = (wanted: (upload: Upload) => boolean) =>
    uploads.filter(wanted).map(({ textId }) => textId)
  const existing = idsOf((upload) => !isIn(written)(upload))
  return {
    uploaded: idsOf(({ textId }) => written.added.has(textId)),
    replaced: idsOf(({ textId }) => written.replaced.has(textId)),
    skipped: rule === 'skip' ? existing : [],
    unchanged: rule === 'replace' ? existing : [],
  }
}

/** @throws 400 if the project has none */
export function instanceOf({ instance, owner, handle }: Project): ProjectInstance {
  if (instance !== undefined) return instance
  throw badRequest(`Project '${owner}/${handle}' has no LLM service instance; set one with PUT`)
}

/**
 * Holds project and instance against changes until the transaction ends.
 * @returns the project's present collection, since the project may have been emptied meanwhile
 * @throws 404 if the project is gone, 409 if its instance, dimensions or metadataScheme have
 *   changed
 */
async function holdUnchanged(db: Db, project: Project, instance: ProjectInstance): Promise<number> {
  const held = await lockProject(db, project, 'share')
  if (held.metadataScheme !== project.metadataScheme) {
    throw conflict("The project's metadataScheme was changed meanwhile; try again")
  }
  const [used] = await db
    .select({ dimensions: instances.dimensions, model: instances.model })
    .from(instances)
    .innerJoin(sharedLock('instance', instances.instanceId), sql`true`)
    .where(eq(instances.instanceId, instance.instanceId))
    .for('share', { of: instances })
  const isSame = used?.dimensions === instance.dimensions && used.model === instance.model
  if (held.instanceId !== instance.instanceId || !isSame) {
    throw conflict("The project's LLM service instance was changed meanwhile; try again")
  }
  return held.collectionId
}

/**
 * Makes the vectors of uploads without one, by text_id. Each text costs, so text_ids that exist are
 * left out if they are to be skipped, and refused before any text is sent if they must not exist.
 * @throws 409 under the rule 'error', and what `embed` throws
 */
async function embedMissing(
  db: Db,
  embed: EmbedTexts,
  project: Project,
  uploads: readonly Upload[],
  rule: ConflictRule,
): Promise<ReadonlyMap<string, Float32Array>> {
  const lacking = uploads.filter(({ vector }) => vector === undefined)
  const compared = { error: uploads, skip: lacking, replace: [] }[rule]
  const textIds = compared.map(({ textId }) => textId)
  const existing = await findTextIds(db, project.collectionId, textIds)
  const taken = rule === 'error' ? uploads.findIndex(({ textId }) => existing.has(textId)) : -1
  if (taken !== -1) throw alreadyThere(project, uploads[taken]?.textId ?? '', taken)
  const sent = lacking.filter(({ textId }) => !existing.has(textId))
  if (sent.length === 0) return new Map()
  const vectors = await embed(sent.map(({ text }) => text ?? '')).catch((error) => {
    throw named(error, uploads, sent)
  })
  return new Map(
    sent.flatMap(({ textId }, index) => {
      const vector = vectors[index]
      return vector === undefined ? [] : [[textId, vector]]
    }),
  )
}

/** Adds which item has the text that the provider refuses, if it refuses a single one. */
function named(error: unknown, uploads: readonly Upload[], sent: readonly Upload[]): unknown {
  if (!(error instanceof ProviderRefusal) || error.text === undefined) return error
  const refused = sent.find(({ text }) => text === error.text)
  if (refused === undefined) return error
  return new RefusedItem(
    error.kind,
    uploads.indexOf(refused),
    (at) => `${error.message} (${at(uploads.indexOf(refused))}, text_id '${refused.textId}')`,
  )
}
