import { AsyncResource } from 'node:async_hooks'
import { and, eq } from 'drizzle-orm'
import { systemHandle } from '../access/caller.ts'
import { beginLoading, endLoading, giveUpLoading } from '../collections/loading.ts'
import { paced } from '../concurrency/paced.ts'
import type { Database, Db } from '../db/database.ts'
import { projects } from '../db/schema.ts'
import { counted } from '../embeddings/ndjson/store-lines.ts'
import { forbidden } from '../errors.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { presentWrittenProject } from '../projects/project.ts'
import { holdUser } from '../projects/projects.ts'
import { taken } from '../projects/writing.ts'
import { type ImportWish, instanceFor, type Made, refuseChanged } from './file-instance.ts'
import { loadRows } from './load-rows.ts'
import { FileReader, type FileRow } from './read-file.ts'
import type { FileManifest } from './schemas.ts'

/** Of one transaction, whichever is reached first; of texts, metadata and vectors in bytes, roughly. */
const batchRows = 1_000
const batchBytes = 4 * 2 ** 20

interface Begun {
  readonly manifest: FileManifest
  /** Of the instance, when the file began. */
  readonly made: Made
}

type Put = (line: string) => Promise<void>
const lineOf = (value: object) => `${JSON.stringify(value)}\n`

/** What files are imported with. */
interface Importing {
  readonly database: Database
  readonly schemes: MetadataSchemes
  /** What is left behind is given up also when the requester has left: not on its behalf. */
  readonly unasked: AsyncResource
  readonly imported: () => void
  readonly discarded: () => void
}

/**
 * Makes projects of semblance files.
 * @param imported to be told when a project has come into being
 * @param discarded to be told when a collection may have been left behind
 */
export function createImports(
  database: Database,
  schemes: MetadataSchemes,
  imported: () => void,
  discarded: () => void,
) {
  const unasked = new AsyncResource('import')
  const importing = { database, schemes, unasked, imported, discarded }
  return {
    /**
     * @param chunks of the file
     * @returns lines of JSON: how much is stored, and at last the project, which is there from then on
     * @throws before the first line for a project that is there, and for a file that cannot be imported
     *   here; later for what is wrong in the middle of it: then nothing is left of it
     */
    run: (wish: ImportWish, chunks: AsyncIterable<Uint8Array>) =>
      paced((put: Put) => importFile(importing, wish, chunks, put), {
        sizeOf: ({ length }) => length,
      }),
  }
}

async function importFile(
  importing: Importing,
  wish: ImportWish,
  chunks: AsyncIterable<Uint8Array>,
  put: Put,
) {
  const { unasked, discarded } = importing
  const { db } = importing.database.short
  const file = new FileReader(counted(chunks, wish.room))
  try {
    const begun = await begin(importing, wish, file)
    const collectionId = await beginLoading(db)
    await loadFile(importing, wish, file, begun, collectionId, put).catch(async (error) => {
      const giveUp = () => giveUpLoading(db, collectionId).catch(() => {})
      await unasked.runInAsyncScope(giveUp)
      discarded()
      throw error
    })
  } finally {
    await file.close()
    wish.room.release()
  }
}

async function begin(
  { database, schemes }: Importing,
  wish: ImportWish,
  file: FileReader,
): Promise<Begun> {
  const { owner } = wish
  if (owner.handle === systemHandle) throw forbidden(`'${systemHandle}' cannot own projects`)
  await refuseTaken(database.short.db, wish)
  const manifest = await file.manifest()
  const { metadataScheme } = manifest.project
  if (metadataScheme !== null) await schemes.check(owner.userId, metadataScheme)
  const made = await database.short.transaction(({ db }) => instanceFor(db, wish, manifest, false))
  return { manifest, made }
}

async function loadFile(
  importing: Importing,
  wish: ImportWish,
  file: FileReader,
  begun: Begun,
  collectionId: number,
  put: Put,
) {
  const { embeddings } = begun.manifest
  const { dimensions } = begun.made
  let stored = 0
  await put(lineOf({ stored, embeddings }))
  for await (const rows of batchesOf(file.rows(dimensions))) {
    await loadRows(importing.database, collectionId, dimensions, rows)
    wish.room.release()
    stored += rows.length
    await put(lineOf({ stored, embeddings }))
  }
  await wish.grantAgain()
  const project = await complete(importing, wish, begun, collectionId)
  importing.imported()
  const message = `Project '${project.owner}/${project.project_handle}' imported`
  await put(lineOf({ message, embeddings, project }))
}

/** The project appears here, with all that it has. */
const complete = (
  { database }: Importing,
  wish: ImportWish,
  { manifest, made }: Begun,
  collectionId: number,
) =>
  database.short.transaction(async ({ db }) => {
    const { owner, handle } = wish
    await holdUser(db, owner)
    const instance = await instanceFor(db, wish, manifest, true)
    const { instanceId } = instance
    if (instanceId === undefined) throw new Error('the instance was not made')
    refuseChanged(made, instance)
    const [project] = await db
      .insert(projects)
      .values({ ownerId: owner.userId, handle, instanceId, collectionId, ...manifest.project })
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

async function refuseTaken(db: Db, { owner, handle }: ImportWish): Promise<void> {
  const ofName = and(eq(projects.ownerId, owner.userId), eq(projects.handle, handle))
  if ((await db.$count(projects, ofName)) > 0) throw taken(owner.handle, handle)
}

async function* batchesOf(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = []
  let bytes = 0
  for await (const row of rows) {
    batch.push(row)
    bytes += row.vector.byteLength + 2 * (row.text?.length ?? 0) + 2 * (row.metadata?.length ?? 0)
    if (batch.length < batchRows && bytes < batchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
