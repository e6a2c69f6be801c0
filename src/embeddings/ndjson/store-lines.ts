import type { Project } from '../../access/project.ts'
import type { Requester } from '../../concurrency/limiter.ts'
import { type Line, linesIn } from '../../json/lines.ts'
import type { ConflictRule } from '../conflict-rule.ts'
import type { createEmbeddings } from '../embeddings.ts'
import { instanceOf, RefusedItem, type StoredUpload, type Upload } from '../upload.ts'
import { maxItemBytes } from '../upload-body/split.ts'
import { BadLine, type Reading, readLines } from './read-lines.ts'

const maxBatchLines = 1_000
/** So that long lines do not pile up: a transaction is made of what came until then. */
const maxBatchBytes = 8 * 1024 * 1024

/** How much of an upload is stored. */
interface Counts {
  /** The number of the last line of what is stored. */
  lines: number
  stored: number
  replaced: number
  skipped: number
  unchanged: number
}

export interface Progress extends Readonly<Counts> {
  /** In the last one, when all is stored. */
  readonly done?: true
  /** In the last one: fields that meant nothing, if there were any. */
  readonly ignored?: readonly string[]
  /** In the last one, when not; and which line is the bad one, if one is. */
  readonly cause?: unknown
  readonly line?: number
}

export interface Room {
  take(more: number): void
  release(): void
}

interface Storing {
  readonly embeddings: Pick<ReturnType<typeof createEmbeddings>, 'store'>
  readonly read: Reading
  readonly uploaded: (upload: { readonly bytes: number; readonly embeddings: number }) => void
  readonly requester: Requester
  /** For what is held of the body. */
  readonly room: Room
}

/**
 * Stores lines as they come, some in a transaction; nothing more is read during one. What fails ends it:
 * transactions before stay.
 * @param projectNow is asked before each transaction, since the first may be long ago
 * @throws what went wrong before anything was said
 */
export async function* storeLines(
  storing: Storing,
  projectNow: () => Promise<Project>,
  rule: ConflictRule,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Progress, void> {
  const { embeddings, read, uploaded, requester, room } = storing
  const ignored = new Set<string>()
  const counts = { lines: 0, stored: 0, replaced: 0, skipped: 0, unchanged: 0 }
  instanceOf(await projectNow())
  try {
    for await (const lines of batchesOf(linesIn(counted(chunks, room), maxItemBytes, true))) {
      const all = await readLines(lines, read, requester, ignored)
      for (const [from, to] of rule === 'error' ? ([[0, all.length]] as const) : apart(all)) {
        const some = lines.slice(from, to)
        const project = await projectNow()
        const result = await embeddings.store(project, all.slice(from, to), rule).catch((error) => {
          throw withLine(error, some)
        })
        count(counts, some, result)
        yield { ...counts }
      }
      room.release()
      const bytes = lines.reduce((sum, line) => sum + line.bytes.length, 0)
      uploaded({ bytes, embeddings: lines.length })
    }
    yield { ...counts, ...namesOf(ignored), done: true }
  } catch (cause) {
    if (counts.lines === 0) throw cause
    const line = cause instanceof BadLine ? { line: cause.line } : undefined
    yield { cause, ...line, ...counts, ...namesOf(ignored) }
  } finally {
    room.release()
  }
}

const namesOf = (ignored: ReadonlySet<string>) =>
  ignored.size === 0 ? undefined : { ignored: [...ignored] }

/** Where batches begin and end in which no text_id is twice: what comes later finds what came before. */
function* apart(uploads: readonly Upload[]): Generator<readonly [from: number, to: number]> {
  const seen = new Set<string>()
  let from = 0
  for (const [index, { textId }] of uploads.entries()) {
    if (seen.has(textId)) {
      yield [from, index]
      from = index
      seen.clear()
    }
    seen.add(textId)
  }
  yield [from, uploads.length]
}

/** @throws 503 for more than there is room for */
export async function* counted(chunks: AsyncIterable<Uint8Array>, room: Pick<Room, 'take'>) {
  for await (const chunk of chunks) {
    room.take(chunk.byteLength)
    yield chunk
  }
}

async function* batchesOf(lines: AsyncIterable<Line>): AsyncGenerator<readonly Line[], void> {
  let batch: Line[] = []
  let size = 0
  for await (const line of lines) {
    const { number, bytes } = withoutMark(line)
    if (number === 1 && isBlank(bytes)) continue
    batch.push({ number, bytes })
    size += bytes.length
    if (batch.length < maxBatchLines && size < maxBatchBytes) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** Without the byte order mark that some programs begin a file with; files may be put behind one another. */
const withoutMark = ({ number, bytes }: Line): Line =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    ? { number, bytes: bytes.subarray(3) }
    : { number, bytes }

const isBlank = (bytes: Buffer) =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

function withLine(error: unknown, lines: readonly Line[]): unknown {
  if (!(error instanceof RefusedItem)) return error
  const numberOf = (index: number) => lines[index]?.number ?? 0
  const message = error.naming((index) => `line ${numberOf(index)}`)
  return new BadLine(numberOf(error.index), { kind: error.kind, message })
}

function count(counts: Counts, lines: readonly Line[], result: StoredUpload): void {
  counts.lines = lines.at(-1)?.number ?? counts.lines
  counts.stored += result.uploaded.length
  counts.replaced += result.replaced.length
  counts.skipped += result.skipped.length
  counts.unchanged += result.unchanged.length
}
