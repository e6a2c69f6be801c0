import { eq, sql } from 'drizzle-orm'
import type { Project, ProjectInstance } from '../access/project.ts'
import { countAdded } from '../collections/collections.ts'
import type { Database, Db } from '../db/database.ts'
import { sharedLock } from '../db/row-locks.ts'
import { instances } from '../db/schema.ts'
import { badRequest, conflict, type ErrorKind, ServiceError } from '../errors.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { holdProject } from '../projects/holding.ts'
import type { VectorCache } from '../vector-cache/vector-cache.ts'
import { encodeRows, type StagedRow } from '../vectors/copy-format.ts'
import { toFloat32, type VectorElements } from '../vectors/float32.ts'
import type { ConflictRule } from './conflict-rule.ts'
import { storeRows, type Written } from './staging.ts'

export interface Upload {
  readonly textId: string
  /** Undefined where the client leaves it to the project. */
  readonly instanceHandle: string | undefined
  readonly vector: VectorElements
  readonly vectorDim: number | undefined
  readonly text: string | null
  /** JSON text. */
  readonly metadata: string | null
}

/** One whose vector may still have to be made of its text. */
export type GivenUpload = Omit<Upload, 'vector'> & { readonly vector: VectorElements | undefined }

export const hasVector = (upload: GivenUpload): upload is Upload => upload.vector !== undefined

/** The text_ids of a batch by what became of them, in their order. */
export interface StoredUpload {
  readonly uploaded: readonly string[]
  readonly replaced: readonly string[]
  /** There already, and so not looked at. */
  readonly skipped: readonly string[]
  /** There already, and the same. */
  readonly unchanged: readonly string[]
}

/**
 * Stores a batch, all of it or nothing.
 * @param rule for text_ids that are there already
 * @throws 400 for an item that does not fit the project's instance or metadataScheme, 409 for a text_id that
 *   is in the batch twice, or by the rule 'error' is there already; each names the first bad item by index
 *   and text_id
 */
export async function storeEmbeddings(
  database: Database,
  vectorCache: VectorCache,
  schemes: MetadataSchemes,
  project: Project,
  uploads: readonly Upload[],
  rule: ConflictRule,
): Promise<StoredUpload> {
  const instance = instanceOf(project)
  const rows = uploads.map((upload, index) => toRow(upload, index, instance))
  await checkMetadata(schemes, project, rows)
  refuseRepeated(uploads)
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
  return storedOf(rows, written, rule)
}

const isIn =
  ({ added, replaced }: Written) =>
  ({ textId }: StagedRow) =>
    added.has(textId) || replaced.has(textId)

function storedOf(rows: readonly StagedRow[], written: Written, rule: ConflictRule): StoredUpload {
  const idsOf = (wanted: (row: StagedRow) => boolean) =>
    rows.filter(wanted).map(({ textId }) => textId)
  const others = idsOf((row) => !isIn(written)(row))
  return {
    uploaded: idsOf(({ textId }) => written.added.has(textId)),
    replaced: idsOf(({ textId }) => written.replaced.has(textId)),
    skipped: rule === 'skip' ? others : [],
    unchanged: rule === 'replace' ? others : [],
  }
}

/** @throws 400 for a project that has none */
export function instanceOf({ instance, owner, handle }: Project): ProjectInstance {
  if (instance !== undefined) return instance
  throw badRequest(`Project '${owner}/${handle}' has no LLM service instance; set one with PUT`)
}

type Place = (index: number) => string

/** An item of a batch that cannot be stored. */
export class RefusedItem extends ServiceError {
  readonly index: number
  /** The same message, where items have other names. */
  readonly naming: (at: Place) => string

  constructor(kind: ErrorKind, index: number, naming: (at: Place) => string) {
    super(
      kind,
      naming((item) => `embeddings[${item}]`),
    )
    this.index = index
    this.naming = naming
  }
}

export const alreadyThere = ({ owner, handle }: Project, textId: string, index: number) =>
  new RefusedItem(
    'conflict',
    index,
    (at) => `Embedding '${textId}' already exists in project '${owner}/${handle}' (${at(index)})`,
  )

const misfit = (problem: string, index: number, textId: string) =>
  new RefusedItem('bad-request', index, (at) => `${problem} (${at(index)}, text_id '${textId}')`)

function toRow(upload: Upload, index: number, instance: ProjectInstance): StagedRow {
  const { textId, text, metadata } = upload
  refuseMisfit(upload, index, instance)
  const vector = toFloat32(upload.vector)
  if (typeof vector === 'string') throw misfit(`vector: ${vector}`, index, textId)
  return { textId, vector, text, metadata }
}

/** @throws 400 for what does not fit the instance, as far as it is there */
export function refuseMisfit(
  upload: GivenUpload,
  index: number,
  { handle, dimensions }: ProjectInstance,
): void {
  const { textId, vectorDim, instanceHandle } = upload
  if (instanceHandle !== undefined && instanceHandle !== handle) {
    throw misfit(
      `instance_handle is '${instanceHandle}', but the project's LLM service instance is '${handle}'`,
      index,
      textId,
    )
  }
  if (vectorDim !== undefined && vectorDim !== dimensions) {
    throw misfit(
      `dimension validation failed: vector dimension mismatch: embedding declares ${vectorDim} dimensions but LLM service '${handle}' expects ${dimensions} dimensions`,
      index,
      textId,
    )
  }
  const { length = dimensions } = upload.vector ?? {}
  if (length !== dimensions) {
    throw misfit(
      vectorDim === undefined
        ? `dimension validation failed: vector dimension mismatch: the vector has ${length} dimensions but LLM service '${handle}' expects ${dimensions} dimensions`
        : `vector length (${length}) does not match declared vector_dim (${vectorDim})`,
      index,
      textId,
    )
  }
}

export async function checkMetadata(
  schemes: MetadataSchemes,
  { ownerId, metadataScheme }: Project,
  rows: readonly Pick<Upload, 'textId' | 'metadata'>[],
): Promise<void> {
  if (metadataScheme === null) return
  const texts = rows.map(({ metadata }) => metadata ?? '{}')
  const [violation] = await schemes.findViolations(ownerId, metadataScheme, texts, 1)
  if (violation === undefined) return
  const { index, lines } = violation
  const { textId } = rows[index] ?? { textId: '' }
  throw new RefusedItem(
    'bad-request',
    index,
    (at) =>
      `metadata validation failed for text_id '${textId}': ${at(index)} does not satisfy the project's metadataScheme:${lines.map((line) => `\n  - ${line}`).join('')}`,
  )
}

export function refuseRepeated(uploads: readonly Pick<Upload, 'textId'>[]): void {
  const seen = new Map<string, number>()
  for (const [index, { textId }] of uploads.entries()) {
    const first = seen.get(textId)
    if (first !== undefined) {
      throw new RefusedItem(
        'conflict',
        index,
        (at) => `Embedding '${textId}' is twice in this batch (${at(first)} and ${at(index)})`,
      )
    }
    seen.set(textId, index)
  }
}

/**
 * Holds project and instance against changes until the transaction ends.
 * @returns the collection that is the project's now: it may have been emptied meanwhile
 * @throws 404 when the project is gone, 409 when its instance, dimensions or metadataScheme are no longer the same
 */
async function holdUnchanged(db: Db, project: Project, instance: ProjectInstance): Promise<number> {
  const held = await holdProject(db, project, 'share')
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
