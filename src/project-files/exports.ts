import type { Caller } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import { withBackpressure } from '../concurrency/backpressure.ts'
import type { WhoWaits } from '../concurrency/limiter.ts'
import type { Database, Snapshot } from '../db/database.ts'
import { allParts, type Parts, type VectorFormat } from '../embeddings/projection.ts'
import { badRequest } from '../errors.ts'
import type { Filter } from '../filters/filter.ts'
import { receivedVector, vectorToBase64 } from '../vectors/encoding.ts'
import { ParquetFile } from './parquet.ts'
import { type ExportedProject, findExported } from './project.ts'
import { type ExportedRow, readRows } from './rows.ts'
import { SemblanceFile } from './semblance.ts'

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
  const given = filter !== undefined ? 'filter' : isPartial ? 'include' : undefined
  if (given === undefined) return
  throw badRequest(`${given} is for format=ndjson and parquet: a semblance file has everything`)
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

/** Writes a file of one format. */
interface FileWriter {
  begin?(project: ExportedProject): Part
  add(rows: readonly ExportedRow[]): Iterable<Part>
  end?(): Part
}

async function write(
  snapshot: Snapshot,
  project: ExportedProject,
  request: ExportRequest,
  put: Put,
) {
  const { format, filter, parts = allParts, vectorFormat = 'json' } = request
  const { collectionId } = project
  const dimensions = project.dimensions ?? project.instance?.dimensions ?? 1
  const isText = format === 'ndjson' && vectorFormat === 'json'
  const vectors = isText ? ('json' as const) : ('bytes' as const)
  const writers: Record<Format, () => FileWriter> = {
    ndjson: () => ({ add: (rows) => [ndjsonLines(rows, vectorFormat)] }),
    parquet: () => new ParquetFile(parts, dimensions),
    semblance: () => new SemblanceFile(),
  }
  const file = writers[format]()
  if (file.begin !== undefined) await put(file.begin(project))
  for await (const rows of readRows(snapshot, {
    collectionId,
    dimensions,
    filter,
    parts,
    vectors,
  })) {
    for (const part of file.add(rows)) if (part.length > 0) await put(part)
  }
  if (file.end !== undefined) await put(file.end())
}

/** Lines that the NDJSON upload accepts unchanged. It ignores `created_at` and sets its own. */
const ndjsonLines = (rows: readonly ExportedRow[], format: VectorFormat): string =>
  rows.map((row) => lineOf(row, format)).join('')

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
