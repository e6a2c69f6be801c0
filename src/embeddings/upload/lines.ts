import type { GrantedProject } from '../../access/granted-project.ts'
import type { Project } from '../../access/project.ts'
import { withBackpressure } from '../../concurrency/backpressure.ts'
import { inBatches } from '../../concurrency/batches.ts'
import type { Requester } from '../../concurrency/limiter.ts'
import { createPause } from '../../concurrency/yielding.ts'
import { FailedMidway, noSuchProject } from '../../errors.ts'
import { invalid } from '../../invalid.ts'
import {
  BadLine,
  badLine,
  type HeldChunks,
  type Line,
  linesIn,
  parseLine,
} from '../../json/lines.ts'
import { jsonBytes } from '../../json/scan.ts'
import type { createEmbeddings } from '../embeddings.ts'
import { textIdOf } from '../schemas.ts'
import { atOnceMs, type ItemReader } from './body/items.ts'
import type { UploadReader } from './body/reader.ts'
import { maxItemBytes, maxItemValues } from './body/split.ts'
import { RefusedItem } from './checks.ts'
import {
  noteIgnored,
  type SharedFields,
  toUpload,
  type Upload,
  uploadItem,
  withSharedFields,
} from './schemas.ts'
import type { ConflictRule } from './staging.ts'
import { type EmbedTexts, instanceOf, type StoredUpload } from './upload.ts'

/** Limits of a transaction. The limit in bytes keeps long lines from piling up. */
const batchLimits = { maxItems: 1_000, maxBytes: 8 * 1024 * 1024 }
/**
 * How many lines of the answer wait for a client that does not read; later ones replace each other.
 */
const maxKept = 64

/** How much of an upload is stored: a line of the answer. */
interface Counts {
  /** The number of the last line that is stored. */
  lines: number
  stored: number
  replaced: number
  skipped: number
  unchanged: number
}

/** What uploads are stored by. */
export interface UploadDependencies {
  readonly embeddings: ReturnType<typeof createEmbeddings>
  readonly reader: UploadReader
  /** Called with the number of stored embeddings and the size of the body. */
  readonly uploaded: (upload: { readonly bytes: number; readonly embeddings: number }) => void
}

interface LinesUpload {
  readonly project: Project
  /**
   * Checks the permission again before each transaction, since the first check may be long ago.
   * @throws 401, 403 or 404 as for any request
   */
  readonly grantAgain: () => Promise<GrantedProject>
  readonly requester: Requester
  readonly rule: ConflictRule
  readonly once: SharedFields
  /** Makes the vectors of lines without one; undefined if nobody asked for that. */
  readonly embedTexts:
    | ((granted: GrantedProject, texts: readonly string[]) => ReturnType<EmbedTexts>)
    | undefined
  readonly body: HeldChunks
}

/**
 * Stores lines as they arrive, in several transactions. Nothing more is read during a transaction.
 * A client that does not read the answer holds nothing up. A failure ends the upload, but earlier
 * transactions stay.
 * @returns the counts after each transaction; finally with `done`, and in `ignored` the fields that
 *   mean nothing
 * @throws a failure before the first counts; after them FailedMidway, with the bad `line` if there
 *   is one
 */
export const storeLines = (by: UploadDependencies, upload: LinesUpload) =>
  withBackpressure((put: Put) => storeAll(by, upload, put), { maxKept })

type Put = (said: object) => Promise<void>

async function storeAll(by: UploadDependencies, upload: LinesUpload, put: Put): Promise<void> {
  const { embeddings, reader, uploaded } = by
  const { rule, body, embedTexts } = upload
  const ignored = new Set<string>()
  const names = () => (ignored.size === 0 ? undefined : { ignored: [...ignored] })
  const counts = { lines: 0, stored: 0, replaced: 0, skipped: 0, unchanged: 0 }
  instanceOf((await grantedNow(upload)).project)
  try {
    const sent = withoutMarks(linesIn(body, maxItemBytes, true))
    for await (const lines of inBatches(sent, ({ bytes }) => bytes.length, batchLimits)) {
      const uploads = await parseLines(lines, reader, upload, ignored)
      for (const [from, to] of rule === 'error' ? [[0, uploads.length]] : apart(uploads)) {
        const part = lines.slice(from, to)
        const granted = await grantedNow(upload)
        const embed = embedTexts && ((texts: readonly string[]) => embedTexts(granted, texts))
        const result = await embeddings
          .store(granted.project, uploads.slice(from, to), rule, embed)
          .catch((error) => {
            throw withLine(error, part)
          })
        count(counts, part, result)
        await put({ ...counts })
      }
      body.release()
      const bytes = lines.reduce((sum, line) => sum + line.bytes.length, 0)
      uploaded({ bytes, embeddings: lines.length })
    }
    await put({ ...counts, ...names(), done: true })
  } catch (cause) {
    if (counts.lines === 0) throw cause
    const line = cause instanceof BadLine ? { line: cause.line } : undefined
    throw new FailedMidway(cause, { ...line, ...counts, ...names() })
  } finally {
    body.release()
  }
}

/** @throws 404 if another project has taken its place */
async function grantedNow({ project, grantAgain }: LinesUpload): Promise<GrantedProject> {
  const now = await grantAgain()
  if (now.project.projectId === project.projectId) return now
  throw noSuchProject(project.owner, project.handle)
}

/**
 * Removes the byte order marks that some programs begin a file with. As files may be concatenated,
 * any line can have one.
 */
async function* withoutMarks(lines: AsyncIterable<Line>): AsyncGenerator<Line, void> {
  for await (const { number, bytes: all } of lines) {
    const isMarked = all[0] === 0xef && all[1] === 0xbb && all[2] === 0xbf
    const bytes = isMarked ? all.subarray(3) : all
    if (number !== 1 || !isBlank(bytes)) yield { number, bytes }
  }
}

const isBlank = (bytes: Buffer) =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/**
 * @param ignored receives the names of fields that mean nothing
 * @throws BadLine for the first bad line
 */
async function parseLines(
  lines: readonly Line[],
  reader: UploadReader,
  { once, requester, embedTexts }: LinesUpload,
  ignored: Set<string>,
): Promise<Upload[]> {
  const feed = Buffer.of(jsonBytes.lineFeed)
  const text = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, feed]))
  const items = await reader.lines(text, requester)
  const pause = createPause(atOnceMs)
  const schema = uploadItem(embedTexts !== undefined)
  const uploads: Upload[] = []
  for (const [index, line] of lines.entries()) {
    await pause()
    const value = parseItem(line, items, index)
    noteIgnored(value, ignored)
    const { data, error } = schema.safeParse(withSharedFields(value, once))
    if (error !== undefined) {
      const item = textIdOf(value)
      const params = item === undefined ? {} : { item }
      const issues = error.issues.map(({ path, message }) => ({ path, message, params }))
      throw badLine(line.number, invalid({ issues }, 'json'))
    }
    uploads.push(toUpload(data))
  }
  return uploads
}

/** @throws BadLine if the line is not one value, or exceeds a limit */
function parseItem(line: Line, items: ItemReader, index: number): unknown {
  try {
    if (index < items.count) return items.item(index)
  } catch {
    // The parser below says what is wrong, and where in the line as it was sent.
  }
  return parseLine(line, maxItemValues)
}

/**
 * Splits a batch so that no part has a text_id twice. Later parts then find what earlier ones
 * stored.
 */
function* apart(uploads: readonly Upload[]): Generator<[from: number, to: number]> {
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
