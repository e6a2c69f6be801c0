import { asRefusal, callLines, type RefusedCall } from '../call.ts'
import { frame } from '../frame.ts'
import { pause } from '../loading.ts'
import { fileRows, type Reading } from './file-rows.ts'
import type { UploadRow } from './table-rows.ts'

export interface UploadOptions extends Omit<Reading, 'tell'> {
  readonly replaces: boolean
  /** Whether the project's provider makes the vectors of rows without one. */
  readonly embeds: boolean
}

interface RefusedRow {
  readonly place: string
  readonly detail: string
}

/** What has become of the rows so far. */
export interface Sent {
  /** The share of the file that is read. */
  readonly share: number
  readonly stored: number
  readonly replaced: number
  /** Rows that were there already. */
  readonly kept: number
  /** Whether an answer was lost, so that what this upload has stored may count as there already. */
  readonly hasLost: boolean
  readonly refused: readonly RefusedRow[]
  /** Fields of NDJSON that the server does not know. */
  readonly ignored: readonly string[]
  /** Why the upload waits before it tries again. */
  readonly waits: string
}

export const nothingSent: Sent = {
  share: 0,
  stored: 0,
  replaced: 0,
  kept: 0,
  hasLost: false,
  refused: [],
  ignored: [],
  waits: '',
}

/** With more refused rows, the file is probably not what its user thinks. */
export const maxRefused = 20
const rowsAtOnce = 500
/** A provider takes its time for each: a request should take some seconds, by the last one. */
const firstTexts = 8
const mostTexts = 100
const secondsAtOnce = 10
const charactersAtOnce = 2_000_000

/**
 * Sends the rows of a file in small uploads, so that it can be stopped, goes on after an
 * interruption, and leaves refused rows out.
 * @returns how it ended: all was read, or there were too many refused rows
 * @throws RefusedCall for what concerns all rows, and what reading the file throws
 */
export async function sendRows(
  options: UploadOptions,
  signal: AbortSignal,
  tell: (sent: Sent) => void,
): Promise<void> {
  let sent = nothingSent
  let share = 0
  const add = (more: Partial<Sent>) => {
    sent = { ...sent, waits: '', ...more, share }
    tell(sent)
  }
  const refuse = (place: string, detail: string) =>
    add({ refused: [...sent.refused, { place, detail }] })
  let most = options.embeds ? firstTexts : rowsAtOnce
  let waiting: Row[] = []
  let characters = 0
  const outcome: Outcome = {
    count: (counts) =>
      add({
        stored: sent.stored + counts.stored,
        replaced: sent.replaced + counts.replaced,
        kept: sent.kept + counts.skipped + counts.unchanged,
        ignored: [...new Set([...sent.ignored, ...(counts.ignored ?? [])])],
      }),
    lose: () => add({ hasLost: true }),
    refuse,
    isFull: () => sent.refused.length >= maxRefused,
    wait: (waits) => add({ waits }),
  }
  const flush = async () => {
    const start = performance.now()
    await sendApart(waiting, options, signal, outcome)
    const perText = (performance.now() - start) / 1_000 / Math.max(1, waiting.length)
    if (options.embeds) {
      most = Math.min(mostTexts, Math.max(1, Math.floor(secondsAtOnce / perText)))
    }
    waiting = []
    characters = 0
  }
  for await (const row of fileRows({ ...options, tell: (read) => (share = read) })) {
    signal.throwIfAborted()
    if ('problem' in row) {
      // What stands before the last row that may be refused is sent.
      if (sent.refused.length === maxRefused - 1) await flush()
      refuse(row.place, row.problem)
    } else {
      waiting.push(row)
      characters += row.json.length
    }
    if (waiting.length >= most || characters >= charactersAtOnce) await flush()
    if (outcome.isFull()) return
  }
  await flush()
  add({})
}

type Row = Extract<UploadRow, { json: string }>

interface Counts {
  readonly lines: number
  readonly stored: number
  readonly replaced: number
  readonly skipped: number
  readonly unchanged: number
  readonly ignored?: readonly string[]
}

interface Outcome {
  readonly count: (counts: Counts) => void
  readonly lose: () => void
  readonly refuse: (place: string, detail: string) => void
  /** Whether enough rows were refused. */
  readonly isFull: () => boolean
  readonly wait: (why: string) => void
}

/** Sends rows, and where one is refused their halves, until it is found. */
async function sendApart(
  rows: readonly Row[],
  options: UploadOptions,
  signal: AbortSignal,
  outcome: Outcome,
): Promise<void> {
  const [row] = rows
  if (row === undefined || outcome.isFull()) return
  const { done, refusal } = await sendSome(rows, options, signal, outcome)
  if (refusal === undefined) return
  if (done > 0) return sendApart(rows.slice(done), options, signal, outcome)
  if (rows.length === 1) {
    // The line is that of the request.
    const detail = refusal.message.replace(/^line 1: /, '').replace('(line 1, ', '(')
    return outcome.refuse(row.place, detail)
  }
  const half = Math.ceil(rows.length / 2)
  await sendApart(rows.slice(0, half), options, signal, outcome)
  await sendApart(rows.slice(half), options, signal, outcome)
}

/**
 * @returns how many of the first rows are stored, and why not all
 * @throws RefusedCall for what concerns all rows
 */
async function sendSome(
  rows: readonly Row[],
  { replaces, embeds }: UploadOptions,
  signal: AbortSignal,
  { count, lose, wait }: Outcome,
): Promise<{ done: number; refusal?: RefusedCall }> {
  const query = `on_conflict=${replaces ? 'replace' : 'skip'}${embeds ? '&embed=true' : ''}`
  const path = `v1/embeddings/${frame.name}?${query}`
  const lines = rows.map(({ json }) => `${json}\n`).join('')
  for (let attempt = 0; ; attempt += 1) {
    let last: Counts | undefined
    try {
      for await (const line of callLines<Counts>(path, { lines, last: 'done', signal })) last = line
      if (last !== undefined) count(last)
      return { done: rows.length }
    } catch (error) {
      signal.throwIfAborted()
      const refusal = asRefusal(error)
      if (last !== undefined) count(last)
      if (unanswered.includes(refusal.status)) lose()
      const done = last?.lines ?? 0
      if (done > 0 || ofRows.includes(refusal.status)) return { done, refusal }
      const seconds = passing.includes(refusal.status) ? waitSeconds[attempt] : undefined
      if (seconds === undefined) throw refusal
      wait(`${refusal.message} Trying again in ${seconds} s.`)
      await pause(1_000 * seconds, signal)
      // What is stored by now is skipped.
    }
  }
}

/** What may be wrong with a row. */
const ofRows = [400, 409, 413, 422]
/** What passes if one waits: no answer, too many requests, a server that starts or is busy. */
const passing = [0, 408, 429, 502, 503, 504]
/** What does not say whether rows were stored. */
const unanswered = [0, 502, 503, 504]
const waitSeconds = [1, 2, 5, 15, 30]
