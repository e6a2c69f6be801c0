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
  readonly refused: readonly RefusedRow[]
  /** Why the upload waits before it tries again. */
  readonly waits: string
}

export const nothingSent: Sent = {
  share: 0,
  stored: 0,
  replaced: 0,
  kept: 0,
  refused: [],
  waits: '',
}

/** With more refused rows, the file is probably not what its user thinks. */
export const maxRefused = 20
const rowsAtOnce = 500
/** A provider takes its time for each. */
const textsAtOnce = 100
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
  const most = options.embeds ? textsAtOnce : rowsAtOnce
  let waiting: Row[] = []
  let characters = 0
  const flush = async () => {
    for (let rows = waiting; rows.length > 0 && sent.refused.length < maxRefused; ) {
      rows = await sendSome(rows, options, signal, {
        count: (counts) =>
          add({
            stored: sent.stored + counts.stored,
            replaced: sent.replaced + counts.replaced,
            kept: sent.kept + counts.skipped + counts.unchanged,
          }),
        refuse,
        wait: (waits) => add({ waits }),
      })
    }
    waiting = []
    characters = 0
  }
  for await (const row of fileRows({ ...options, tell: (read) => (share = read) })) {
    signal.throwIfAborted()
    if ('problem' in row) refuse(row.place, row.problem)
    else {
      waiting.push(row)
      characters += row.json.length
    }
    if (waiting.length >= most || characters >= charactersAtOnce) await flush()
    if (sent.refused.length >= maxRefused) return
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
}

interface Outcome {
  readonly count: (counts: Counts) => void
  readonly refuse: (place: string, detail: string) => void
  readonly wait: (why: string) => void
}

/** @returns the rows that are still to be sent: those beside a refused one, or after a failure */
async function sendSome(
  rows: readonly Row[],
  { replaces, embeds }: UploadOptions,
  signal: AbortSignal,
  { count, refuse, wait }: Outcome,
): Promise<Row[]> {
  const texts = rows.map(({ json }) => json)
  const before = linesBefore(texts)
  const query = `on_conflict=${replaces ? 'replace' : 'skip'}${embeds ? '&embed=true' : ''}`
  const path = `v1/embeddings/${frame.name}?${query}`
  const lines = `${'\n'.repeat(before)}${texts.join('\n')}\n`
  for (let attempt = 0; ; attempt += 1) {
    let last: Counts | undefined
    try {
      for await (const line of callLines<Counts>(path, { lines, last: 'done', signal })) last = line
      if (last !== undefined) count(last)
      return []
    } catch (error) {
      signal.throwIfAborted()
      const refusal = asRefusal(error)
      if (last !== undefined) count(last)
      const done = last === undefined ? 0 : last.lines - before
      const bad = badRow(refusal, before)
      const row = bad === undefined ? undefined : rows[bad]
      if (bad !== undefined && row !== undefined) {
        const detail = refusal.message.replace(`line ${before + bad + 1}`, row.place)
        refuse(
          row.place,
          detail.startsWith(row.place) ? detail.slice(row.place.length + 2) : detail,
        )
      }
      if (row !== undefined || done > 0) return rows.filter((_, at) => at >= done && at !== bad)
      const seconds = passing.includes(refusal.status) ? waitSeconds[attempt] : undefined
      if (seconds === undefined) throw refusal
      wait(`${refusal.message} Trying again in ${seconds} s.`)
      await pause(1_000 * seconds, signal)
      // What is stored by now is skipped.
    }
  }
}

/** What passes if one waits: no answer, too many requests, a server that starts or is busy. */
const passing = [0, 408, 429, 502, 503, 504]
const waitSeconds = [1, 2, 5, 15, 30]

/** The index of the row that was refused, and not the caller or all rows. */
function badRow({ status, message }: RefusedCall, before: number): number | undefined {
  const isOfRows = [400, 409, 413, 422].includes(status)
  const numbers = [...message.matchAll(/\bline (\d+)\b/g)].map(([, number]) => Number(number))
  // Of two rows with the same text_id, the message names both; the later one is refused.
  const indexes = numbers.map((number) => number - before - 1).filter((at) => at >= 0)
  return isOfRows && indexes.length > 0 ? Math.max(...indexes) : undefined
}

/**
 * A number of blank lines to send first, which count. So a refusal has numbers that occur in no
 * text_id, such as `line 3`, which messages quote.
 */
function linesBefore(texts: readonly string[]): number {
  const all = texts.join('\n')
  let before = 0
  while (new RegExp(`line ${before === 0 ? '' : before / 1_000}\\d{1,3}\\b`).test(all))
    before += 1_000
  return before
}
