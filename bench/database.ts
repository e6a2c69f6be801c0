import { once } from 'node:events'
import postgres from 'postgres'
import { within } from '../test/shared/time.ts'
import { copyEnd, copyHead, copyRow, copyTarget } from './copy-format.ts'
import { undoing } from './undo.ts'

export type Sql = postgres.Sql

const chunkBytes = 4 * 1024 * 1024
const drainMs = 60_000
/** Also of the longest COPY, whose rows are computed meanwhile. */
const statementMs = 2 * 3_600_000

let count = 0

function newName(): string {
  count += 1
  return `semblance_bench_${process.pid}_${count}`
}

/** Lets `use` have a database of its own on the server of this URL, and drops it. */
export async function withDatabase<T>(
  server: string,
  use: (url: string, sql: Sql) => Promise<T>,
  name = newName(),
): Promise<T> {
  const admin = postgres(server, { max: 1, onnotice: () => {} })
  const url = new URL(server)
  url.pathname = `/${name}`
  await within(admin.unsafe(`create database ${name}`), 60_000, 'creating a database')
  const connection = { statement_timeout: statementMs }
  const sql = postgres(url.href, { max: 1, connection, onnotice: () => {} })
  const drop = async () => {
    await sql.end({ timeout: 5 })
    await within(admin.unsafe(`drop database ${name} with (force)`), 120_000, 'dropping it')
    await admin.end({ timeout: 5 })
  }
  return undoing(drop, () => use(url.href, sql))
}

/** What the embeddings of a project are filed under. */
export async function collectionOf(sql: Sql, projectId: number): Promise<number> {
  const [row] = await sql.unsafe(
    `select collection_id from projects where project_id = ${projectId}`,
  )
  return Number(row?.['collection_id'])
}

/** As the service counts them: what is loaded by SQL alone it would not know of. */
export async function countEmbeddings(sql: Sql): Promise<void> {
  await sql.unsafe(`update collections c set vectors = counted.vectors, dimensions = counted.dimensions
    from (select collection_id, count(*) as vectors, max(vector_dim) as dimensions
      from embeddings group by collection_id) as counted
    where counted.collection_id = c.collection_id`)
}

/** Loads the embeddings 0 to `length` - 1 straight into the table. @returns their collection */
export async function load(
  sql: Sql,
  projectId: number,
  length: number,
  vectorAt: (index: number) => Float32Array,
): Promise<number> {
  const collectionId = await collectionOf(sql, projectId)
  const stream = await sql.unsafe(copyTarget).writable()
  let chunk: Buffer[] = [copyHead]
  let size = 0
  const flush = async () => {
    const more = stream.write(Buffer.concat(chunk))
    chunk = []
    size = 0
    if (!more) await once(stream, 'drain', { signal: AbortSignal.timeout(drainMs) })
  }
  for (let index = 0; index < length; index += 1) {
    const row = copyRow(collectionId, index, vectorAt(index))
    size += chunk.push(row) && row.length
    if (size >= chunkBytes) await flush()
  }
  stream.end(Buffer.concat([...chunk, copyEnd]))
  await once(stream, 'finish', { signal: AbortSignal.timeout(drainMs) })
  await countEmbeddings(sql)
  return collectionId
}

/** Leaves nothing to do in the background that would disturb a measurement. */
export async function settle(sql: Sql, table = 'embeddings'): Promise<void> {
  await sql.unsafe(`vacuum analyze ${table}`)
  // Not every user may do this, and it only makes the figures calmer.
  await sql.unsafe('checkpoint').catch(() => {})
}
