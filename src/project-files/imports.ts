import { AsyncResource } from 'node:async_hooks'
import { and, eq, sql } from 'drizzle-orm'
import { systemHandle } from '../access/caller.ts'
import { beginLoading, countLoaded, endLoading, giveUpLoading } from '../collections/collections.ts'
import { withBackpressure } from '../concurrency/backpressure.ts'
import { inBatches } from '../concurrency/batches.ts'
import type { Database, Db } from '../db/database.ts'
import { projects } from '../db/schema.ts'
import { insertStaged, stageRows } from '../embeddings/upload/staging.ts'
import { forbidden } from '../errors.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { taken } from '../projects/create.ts'
import { presentWrittenProject } from '../projects/show.ts'
import { lockUser } from '../users/users.ts'
import { encodeRows } from '../vectors/copy-format.ts'
import { type ImportRequest, instanceFor, type Made, refuseChanged } from './file-instance.ts'
import { FileReader, type FileRow } from './read-file.ts'
import type { FileManifest } from './schemas.ts'

/** Limits per transaction. */
const batchLimits = { maxItems: 1_000, maxBytes: 4 * 2 ** 20 }

interface Begun {
  readonly manifest: FileManifest
  /** The instance's model and dimensions when the file began. */
  readonly made: Made
}

interface Loading extends Begun {
  readonly collectionId: number
}

type Put = (line: object) => Promise<void>
/** The approximate size of any line except the last. */
const lineBytes = 40

interface Dependencies {
  readonly database: Database
  readonly schemes: MetadataSchemes
  /** Called when a project has been created. */
  readonly imported: () => void
  /** Called when a collection may have been left behind. */
  readonly discarded: () => void
}

/** Creates projects from portable files. */
export function createImports(dependencies: Dependencies) {
  /** Runs the clean-up outside the request's context, because the requester may have left. */
  const unasked = new AsyncResource('import')
  const { db } = dependencies.database.short

  async function importFile(request: ImportRequest, put: Put): Promise<void> {
    const file = new FileReader(request.body)
    try {
      const begun = await begin(dependencies, request, file)
      const collectionId = await beginLoading(db)
      await loadFile(dependencies, request, file, { ...begun, collectionId }, put).catch(
        async (error) => {
          const giveUp = () => giveUpLoading(db, collectionId).catch(() => {})
          await unasked.runInAsyncScope(giveUp)
          dependencies.discarded()
          throw error
        },
      )
    } finally {
      await file.close()
      request.body.release()
    }
  }

  return {
    /**
     * @returns progress lines with the number of stored embeddings, and at last the project, which
     * exists from then on
     * @throws before the first line if the project exists already or the file cannot be imported
     * here; later if the file turns out to be invalid, and then nothing of it remains
     */
    run: (request: ImportRequest) =>
      withBackpressure((put: Put) => importFile(request, put), { sizeOf: () => lineBytes }),
  }
}

async function begin(
  { database, schemes }: Dependencies,
  request: ImportRequest,
  file: FileReader,
): Promise<Begun> {
  const { owner } = request
  if (owner.handle === systemHandle) throw forbidden(`'${systemHandle}' cannot own projects`)
  await refuseTaken(database.short.db, request)
  const manifest = await file.manifest()
  const { metadataScheme } = manifest.project
  if (metadataScheme !== null) await schemes.check(owner.userId, metadataScheme)
  const made = await database.short.transaction(({ db }) =>
    instanceFor(db, request, manifest, false),
  )
  return { manifest, made }
}

async function loadFile(
  { database, imported }: Dependencies,
  request: ImportRequest,
  file: FileReader,
  loading: Loading,
  put: Put,
): Promise<void> {
  const { embeddings } = loading.manifest
  const { dimensions } = loading.made
  let stored = 0
  await put({ stored, embeddings })
  for await (const rows of inBatches(file.rows(dimensions), bytesOf, batchLimits)) {
    await loadRows(database, loading.collectionId, dimensions, rows)
    request.body.release()
    stored += rows.length
    await put({ stored, embeddings })
  }
  await request.grantAgain()
  const project = await complete(database, request, loading)
  imported()
  const message = `Project '${project.owner}/${project.project_handle}' imported`
  await put({ message, embeddings, project })
}

/** Adds a batch, with the file's dates, to a collection that is not visible yet. */
async function loadRows(
  database: Database,
  collectionId: number,
  dimensions: number,
  rows: readonly FileRow[],
): Promise<void> {
  const bytes = encodeRows(rows)
  const times = JSON.stringify(rows.map(({ createdAt }) => createdAt))
  const createdAt = sql`((select ${times}::jsonb) ->> ordinal)::timestamptz`
  await database.bulk.transaction(async (tx) => {
    await stageRows(tx, { count: rows.length, bytes })
    const insert = insertStaged(tx.db, collectionId, dimensions, createdAt)
    const stored = await insert.returning({ one: sql`1` })
    if (stored.length !== rows.length) throw new Error(`stored ${stored.length} of ${rows.length}`)
    await countLoaded(tx.db, collectionId, rows.length, dimensions)
  })
}

/** Makes the project visible, with all of its contents. */
const complete = (
  database: Database,
  request: ImportRequest,
  { manifest, made, collectionId }: Loading,
) =>
  database.short.transaction(async ({ db }) => {
    const { owner, handle } = request
    await lockUser(db, owner, 'shared')
    const instance = await instanceFor(db, request, manifest, true)
    const { instanceId } = instance
    if (instanceId === undefined) throw new Error('the instance was not made')
    refuseChanged(made, instance)
    const { reading_order: readingOrder, ...own } = manifest.project
    const [project] = await db
      .insert(projects)
      .values({ ownerId: owner.userId, handle, instanceId, collectionId, readingOrder, ...own })
      .onConflictDoNothing()
      .returning()
    if (project === undefined) throw taken(owner.handle, handle)
    await endLoading(db, collectionId)
    return presentWrittenProject({
      ...project,
      owner: owner.handle,
      instance: { ...instance, instanceId },
    })
  })

async function refuseTaken(db: Db, { owner, handle }: ImportRequest): Promise<void> {
  const ofName = and(eq(projects.ownerId, owner.userId), eq(projects.handle, handle))
  if ((await db.$count(projects, ofName)) > 0) throw taken(owner.handle, handle)
}

/** The approximate size of text, metadata and vector. */
const bytesOf = ({ vector, text, metadata }: FileRow) =>
  vector.byteLength + 2 * (text?.length ?? 0) + 2 * (metadata?.length ?? 0)
