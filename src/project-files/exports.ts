import type { Caller } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import { withBackpressure } from '../concurrency/backpressure.ts'
import type { WhoWaits } from '../concurrency/limiter.ts'
import type { Database, Snapshot } from '../db/database.ts'
import { allParts, type Parts, type VectorFormat } from '../embeddings/projection.ts'
import { badRequest } from '../errors.ts'
import type { Filter } from '../filters/filter.ts'
import { receivedVector, vectorToBase64 } from '../vectors/encoding.ts'
import { parquetFile } from './parquet.ts'
import { type ExportedProject, findExported } from './project.ts'
import { type ExportedRow, type RowGroups, readRows } from './rows.ts'
import { semblanceFile } from './semblance.ts'

export const formats = ['ndjson', 'parquet', 'semblance'] as const
export type Format = (typeof formats)[number]

interface ExportRequest {
  readonly format: Format
  /** Semblance files are always complete, and take neither this nor `parts`. */
  readonly filter: Filter | undefined
  readonly parts: Parts | undefined
  /** Only for NDJSON. */
  readonly vectorFormat: VectorFormat | undefined
}

type Part = string | Uint8Array<ArrayBuffer>
type Put = (part: Part) => Promise<void>

/**
 * Small enough that a client at the minimum rate takes each piece within the grace period, even
 * while others wait.
 */
const pieceBytes = 256 * 1024

const inPieces =
  (put: (piece: Buffer<ArrayBuffer>) => Promise<void>): Put =>
  async (part) => {
    const bytes =
      typeof part === 'string'
        ? Buffer.from(part)
        : Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await put(bytes.subarray(at, at + pieceBytes))
    }
  }

/** @throws 400 for parameters that the format does not support */
function refuseUnfitting({ format, filter, parts, vectorFormat }: ExportRequest): void {
  if (vectorFormat === 'base64' && format !== 'ndjson') {
    throw badRequest('vector_format is for format=ndjson: the others have vectors in binary')
  }
  if (format !== 'semblance') return
  const isPartial = !Object.values(parts ?? allParts).every((isWanted) => isWanted)
  const unfitting = filter !== undefined ? 'filter' : isPartial ? 'include' : undefined
  if (unfitting === undefined) return
  throw badRequest(`${unfitting} is for format=ndjson and parquet: a semblance file has everything`)
}

/** Exports a project from one snapshot, while others may write. */
export function createExports(database: Database, tickMs?: number) {
  return {
    /**
     * @returns the parts of the file, made as they are consumed. It fails if they are consumed too
     * slowly or the database is lost
     * @throws 400 before anything is read
     */
    read(
      caller: Caller,
      project: Project,
      request: ExportRequest,
    ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      refuseUnfitting(request)
      let whoWaits: () => WhoWaits = () => 'nobody'
      const produce = (put: (piece: Buffer<ArrayBuffer>) => Promise<void>) =>
        database.snapshot(
          (db) => findExported(db, caller, project),
          (snapshot, exported) => {
            whoWaits = snapshot.whoWaits
            return write(snapshot, exported, request, inPieces(put))
          },
        )
      const sizeOf = ({ length }: Uint8Array) => length
      return withBackpressure(produce, { sizeOf, whoWaits: () => whoWaits(), tickMs })
    },
  }
}

async function write(
  snapshot: Snapshot,
  project: ExportedProject,
  { format, filter, parts = allParts, vectorFormat = 'json' }: ExportRequest,
  put: Put,
): Promise<void> {
  const { collectionId } = project
  const dimensions = project.dimensions ?? project.instance?.dimensions ?? 1
  const groups = readRows(snapshot, {
    collectionId,
    dimensions,
    filter,
    parts,
    vectorFormat: format === 'ndjson' ? vectorFormat : 'base64',
  })
  const files: Record<Format, () => AsyncIterable<Part>> = {
    ndjson: () => ndjsonLines(vectorFormat, groups),
    parquet: () => parquetFile(parts, dimensions, groups),
    semblance: () => semblanceFile(project, groups),
  }
  for await (const part of files[format]()) await put(part)
}

/** Lines that the NDJSON upload accepts unchanged. It ignores `created_at` and sets its own. */
async function* ndjsonLines(format: VectorFormat, groups: RowGroups) {
  for await (const rows of groups) yield rows.map((row) => lineOf(row, format)).join('')
}

function lineOf({ textId, text, metadata, createdAt, vector }: ExportedRow, format: VectorFormat) {
  // The text comes before the vector, where a person can see it.
  let line = `{"text_id":${JSON.stringify(textId)}`
  if (text !== null) line += `,"text":${JSON.stringify(text)}`
  if (metadata !== null) line += `,"metadata":${metadata}`
  line += `,"created_at":"${createdAt.slice(0, -4)}Z"`
  if (vector !== null) line += `,"vector":${format === 'json' ? vector : base64Of(vector)}`
  return `${line}}\n`
}

const base64Of = (bytes: string) => `"${vectorToBase64(receivedVector(bytes))}"`
