import type { Caller } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import type { WhoWaits } from '../concurrency/limiter.ts'
import { paced } from '../concurrency/paced.ts'
import type { Database, Snapshot } from '../db/database.ts'
import { allParts, type Parts, type VectorFormat } from '../embeddings/include/parts.ts'
import { badRequest } from '../errors.ts'
import type { Filter } from '../filters/filter.ts'
import { ndjsonLines } from './ndjson.ts'
import { ParquetFile } from './parquet.ts'
import { type ExportedProject, findExported } from './project.ts'
import { readRows } from './rows.ts'
import { SemblanceFile } from './semblance.ts'

export const formats = ['ndjson', 'parquet', 'semblance'] as const
export type Format = (typeof formats)[number]

export interface ExportWish {
  readonly format: Format
  /** Of a semblance file neither this nor the next: it has all there is. */
  readonly filter: Filter | undefined
  readonly parts: Parts | undefined
  /** Of NDJSON alone. */
  readonly vectorFormat: VectorFormat | undefined
}

type Part = string | Uint8Array<ArrayBuffer>
type Put = (part: Part) => Promise<void>

/** So small that each is taken well within the grace, at the least pace and while others wait. */
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

/** @throws 400 for what the format cannot have */
function refuseUnfitting({ format, filter, parts, vectorFormat }: ExportWish): void {
  if (vectorFormat === 'base64' && format !== 'ndjson') {
    throw badRequest('vector_format is for format=ndjson: the others have vectors in binary')
  }
  if (format !== 'semblance') return
  const isPartial = !Object.values(parts ?? allParts).every((isWanted) => isWanted)
  const given = filter !== undefined ? 'filter' : isPartial ? 'include' : undefined
  if (given === undefined) return
  throw badRequest(`${given} is for format=ndjson and parquet: a semblance file has everything`)
}

/** All of a project as it is at one moment, while others write. */
export function createExports(database: Database, tickMs?: number) {
  return {
    /**
     * @returns the parts of the file, made as they are taken; they fail, with what could be said of it, when
     *   they are taken too slowly or the database is lost
     * @throws 400 before anything is read
     */
    read(
      caller: Caller,
      project: Project,
      wish: ExportWish,
    ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      refuseUnfitting(wish)
      let whoWaits: () => WhoWaits = () => 'nobody'
      const produce = (put: (piece: Buffer<ArrayBuffer>) => Promise<void>) =>
        database.snapshot(
          (db) => findExported(db, caller, project),
          (snapshot, exported) => {
            whoWaits = snapshot.whoWaits
            return write(snapshot, exported, wish, inPieces(put))
          },
        )
      return paced(produce, { sizeOf: ({ length }) => length, whoWaits: () => whoWaits(), tickMs })
    },
  }
}

function write(snapshot: Snapshot, project: ExportedProject, wish: ExportWish, put: Put) {
  const { format, filter, parts = allParts, vectorFormat = 'json' } = wish
  const { collectionId } = project
  const dimensions = project.dimensions ?? project.instance?.dimensions ?? 1
  const isText = format === 'ndjson' && vectorFormat === 'json'
  const vectors = isText ? ('json' as const) : ('bytes' as const)
  const groups = readRows(snapshot, { collectionId, dimensions, filter, parts, vectors })
  switch (format) {
    case 'ndjson':
      return putAll(groups, (rows) => [ndjsonLines(rows, vectorFormat)], put)
    case 'parquet':
      return writeParquet(new ParquetFile(parts, dimensions), groups, put)
    case 'semblance':
      return writeSemblance(new SemblanceFile(), project, groups, put)
  }
}

type Groups = ReturnType<typeof readRows>
type Rows = Parameters<typeof ndjsonLines>[0]

/** @returns how many rows it was */
async function putAll(groups: Groups, format: (rows: Rows) => Iterable<Part>, put: Put) {
  for await (const rows of groups) {
    for (const part of format(rows)) if (part.length > 0) await put(part)
  }
}

async function writeParquet(file: ParquetFile, groups: Groups, put: Put): Promise<void> {
  await putAll(groups, (rows) => file.add(rows), put)
  await put(file.end())
}

async function writeSemblance(
  file: SemblanceFile,
  project: ExportedProject,
  groups: Groups,
  put: Put,
): Promise<void> {
  await put(file.begin(project))
  let rows = 0
  const counted = (group: Rows) => {
    rows += group.length
    return [file.add(group)]
  }
  await putAll(groups, counted, put)
  // It would refuse itself when it is imported.
  if (rows !== project.vectors) throw new Error(`exported ${rows} of ${project.vectors} rows`)
  await put(file.end())
}
