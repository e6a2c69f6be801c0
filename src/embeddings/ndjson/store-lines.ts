import type { GrantedProject } from '../../access/asker.ts'
import type { Project } from '../../access/project.ts'
import { withBackpressure } from '../../concurrency/backpressure.ts'
import { inBatches } from '../../concurrency/batches.ts'
import type { Requester } from '../../concurrency/limiter.ts'
import { FailedMidway, noSuchProject } from '../../errors.ts'
import { BadLine, type HeldChunks, type Line, linesIn } from '../../json/lines.ts'
import type { ConflictRule } from '../conflict-rule.ts'
import type { EmbedTexts } from '../embed-texts.ts'
import type { createEmbeddings } from '../embeddings.ts'
import { instanceOf, type StoredUpload } from '../upload.ts'
import { maxItemBytes } from '../upload-body/split.ts'
import { RefusedItem, type Upload } from '../upload-checks.ts'
import type { SharedFields } from '../upload-item/schemas.ts'
import { type ParseBody, parseLines } from './read-lines.ts'

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

interface Storing {
  readonly embeddings: Pick<ReturnType<typeof createEmbeddings>, 'store'>
  readonly parse: ParseBody
  readonly uploaded: (upload: { readonly bytes: number; readonly embeddings: number }) => void
}

export interface LinesUpload {
  readonly project: Project
  /**
   * Checks the permission again before each transaction, since the first check may be long ago.
   * @throws 401, 403 or 404 as for any request
   */
  readonly grantAgain: () => Promise<GrantedProject>
  readonly requester: Requester
  readonly rule: ConflictRule
  readonly once: SharedFields
  readonly embed: boolean
  readonly embedTexts: (granted: GrantedProject, texts: readonly string[]) => ReturnType<EmbedTexts>
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
export const storeLines = (storing: Storing, upload: LinesUpload): AsyncGenerator<object, void> =>
  withBackpressure((put: Put) => storeAll(storing, upload, put), { maxKept })

type Put = (said: object) => Promise<void>

async function storeAll(storing: Storing, upload: LinesUpload, put: Put): Promise<void> {
  const { embeddings, parse, uploaded } = storing
  const { rule, body } = upload
  const ignored = new Set<string>()
  const names = () => (ignored.size === 0 ? undefined : { ignored: [...ignored] })
  const counts = { lines: 0, stored: 0, replaced: 0, skipped: 0, unchanged: 0 }
  instanceOf((await grantedNow(upload)).project)
  try {
    const given = withoutMarks(linesIn(body, maxItemBytes, true))
    for await (const lines of inBatches(given, ({ bytes }) => bytes.length, batchLimits)) {
      const all = await parseLines(lines, parse, upload, ignored)
      for (const [from, to] of rule === 'error' ? ([[0, all.length]] as const) : apart(all)) {
        const some = lines.slice(from, to)
        const granted = await grantedNow(upload)
        const embed = (texts: readonly string[]) => upload.embedTexts(granted, texts)
        const result = await embeddings
          .store(granted.project, all.slice(from, to), rule, embed)
          .catch((error) => {
            throw withLine(error, some)
          })
        count(counts, some, result)
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
 * Splits a batch so that no part has a text_id twice. Later parts then find what earlier ones
 * stored.
 */
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
