import type { Caller } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import { inPieces, withBackpressure } from '../concurrency/backpressure.ts'
import type { WhoWaits } from '../concurrency/limiter.ts'
import type { Database, Snapshot } from '../db/database.ts'
import { allParts, partNames } from '../embeddings/projection.ts'
import { badRequest } from '../errors.ts'
import { jsonObject } from '../json/json-text.ts'
import { type ExportedProject, findExported } from './project.ts'
import { type ExportedRow, type RowGroups, readRows } from './rows.ts'
import type { ExportRequest } from './schemas.ts'
import { semblanceFile } from './semblance.ts'

/** @throws 400 for parameters that a semblance file does not have */
function refuseUnfitting({ format, filter, include, vector_format }: ExportRequest): void {
  if (format !== 'semblance') return
  if (vector_format === 'base64') {
    throw badRequest('vector_format is for format=ndjson: a semblance file always has base64')
  }
  const isPartial = !partNames.every((name) => (include ?? allParts)[name])
  const unfitting = filter !== undefined ? 'filter' : isPartial ? 'include' : undefined
  if (unfitting === undefined) return
  throw badRequest(`${unfitting} is for format=ndjson: a semblance file has everything`)
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
          async (snapshot, exported) => {
            whoWaits = snapshot.whoWaits
            const parts = fileOf(snapshot, exported, request)
            for await (const part of parts) await inPieces(put, part)
          },
        )
      const sizeOf = ({ length }: Uint8Array) => length
      return withBackpressure(produce, { sizeOf, whoWaits: () => whoWaits(), tickMs })
    },
  }
}

function fileOf(
  snapshot: Snapshot,
  project: ExportedProject,
  { format, filter, include, vector_format = 'json' }: ExportRequest,
): AsyncIterable<string> {
  const { collectionId } = project
  const dimensions = project.dimensions ?? project.instance?.dimensions ?? 1
  const isWhole = format === 'semblance'
  const rows = { collectionId, dimensions, filter, parts: include ?? allParts }
  const groups = readRows(snapshot, { ...rows, vectorFormat: isWhole ? 'base64' : vector_format })
  return isWhole ? semblanceFile(project, groups) : ndjsonLines(groups)
}

/** Lines that the NDJSON upload accepts unchanged. It ignores `created_at` and sets its own. */
async function* ndjsonLines(groups: RowGroups) {
  for await (const rows of groups) yield rows.map(lineOf).join('')
}

function lineOf({ textId, text, metadata, createdAt, vector }: ExportedRow): string {
  // The text comes before the vector, where a person can see it.
  const fields = { text_id: textId, ...(text !== null && { text }) }
  const created_at = `"${createdAt.slice(0, -4)}Z"`
  return `${jsonObject(fields, { metadata, created_at, vector }).text}\n`
}
