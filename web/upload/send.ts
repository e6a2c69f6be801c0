import type { SemblanceError } from '../../clients/typescript/src/error.ts'
import { asRefusal, callLines } from '../call.ts'
import { frame } from '../frame.ts'
import { pause } from '../loading.ts'
import type { Checked, RefusedRow } from './check.ts'
import type { Choice } from './columns-form.tsx'
import { recordsOf, type Source } from './file-records.ts'
import { type RowOptions, rowMaker, type UploadRow } from './table-rows.ts'

/** Without `embeds`, rows that lack a vector are left out. */
interface SendingOptions extends Choice {
  readonly source: Source
  readonly row: RowOptions
  readonly checked: Checked
}

/** What has become of the rows so far. */
export interface Sent {
  readonly stored: number
  readonly replaced: number
  /** Rows that were there already. */
  readonly kept: number
  /** Whether an answer was lost, so that what this upload has stored may count as there already. */
  readonly hasLost: boolean
  /** By the server. */
  readonly refused: readonly RefusedRow[]
  /** Why it refuses every row, as far as that was tried. */
  readonly refusesAll: string | undefined
  /** Fields of NDJSON that the server does not know. */
  readonly ignored: readonly string[]
  /** Why the upload waits before it tries again. */
  readonly waits: string
}

export const nothingSent: Sent = {
  ...{ stored: 0, replaced: 0, kept: 0, hasLost: false },
  ...{ refused: [], refusesAll: undefined, ignored: [], waits: '' },
}

/** How many rows the server has judged. */
export const settled = ({ stored, replaced, kept, refused }: Sent): number =>
  stored + replaced + kept + refused.length

/** With more refused rows, the file is probably not what its user thinks. */
export const maxRefused = 1_000
const rowsAtOnce = 500
/** A provider takes its time for each: a request should take some seconds, by the last one. */
const firstTexts = 8
const mostTexts = 100
const secondsAtOnce = 10
const charactersAtOnce = 2_000_000

type Row = Extract<UploadRow, { json: string }>

interface Counts {
  readonly lines: number
  readonly stored: number
  readonly replaced: number
  readonly skipped: number
  readonly unchanged: number
  readonly ignored?: readonly string[]
}

/**
 * Sends the rows of a file in small uploads, so that it can pause, goes on after an interruption,
 * and leaves refused rows out.
 * @returns a function that sends what is not yet sent. It returns whether that is done, and throws
 *   SemblanceError for what concerns all rows, and what reading the file throws
 */
export function createSending(options: SendingOptions, tell: (sent: Sent) => void) {
  const { source, checked, replaces, embeds } = options
  const make = rowMaker({ ...options.row, numeric: checked.numeric })
  const bad = new Set(checked.refused.map(({ place }) => place))
  const query = `on_conflict=${replaces ? 'replace' : 'skip'}${embeds ? '&embed=true' : ''}`
  /** Of the file's rows, those that were sent or are waiting. */
  let taken = 0
  const waiting = new Set<Row>()
  let most = embeds ? firstTexts : rowsAtOnce
  let sent = nothingSent
  const add = (more: Partial<Sent>) => {
    sent = { ...sent, waits: '', ...more }
    tell(sent)
  }
  const isOver = () => sent.refusesAll !== undefined || sent.refused.length >= maxRefused

  async function send(signal: AbortSignal, isPausing: () => boolean): Promise<boolean> {
    let [number, characters] = [0, 0]
    if (waiting.size > 0) await flush(signal)
    for await (const record of recordsOf(source)) {
      signal.throwIfAborted()
      number += 1
      if (number <= taken) continue
      if (isOver() || isPausing()) return isOver()
      taken = number
      const row = make(record, number)
      if (bad.has(row.place) || 'problem' in row || !(row.hasVector || embeds)) continue
      waiting.add(row)
      characters += row.json.length
      if (waiting.size < most && characters < charactersAtOnce) continue
      await flush(signal)
      characters = 0
    }
    await flush(signal)
    add({})
    return true
  }

  async function flush(signal: AbortSignal): Promise<void> {
    const [count, start] = [Math.max(1, waiting.size), performance.now()]
    await sendApart([...waiting], signal)
    const perText = (performance.now() - start) / 1_000 / count
    if (embeds) most = Math.min(mostTexts, Math.max(1, Math.floor(secondsAtOnce / perText)))
  }

  /** Sends rows, and those apart from the others that are refused. */
  async function sendApart(rows: readonly Row[], signal: AbortSignal): Promise<void> {
    const [row] = rows
    if (row === undefined || isOver()) return
    const { done, refusal } = await sendSome(rows, signal)
    for (const each of rows.slice(0, done)) waiting.delete(each)
    if (refusal === undefined) return
    if (done > 0) return sendApart(rows.slice(done), signal)
    if (rows.length === 1) {
      waiting.delete(row)
      const { place, id } = row
      return add({ refused: [...sent.refused, { place, id, reason: reasonOf(refusal) }] })
    }
    const named = rows[lineIn(refusal) - 1]
    const isFirst = settled(sent) === 0
    await sendApart(named ? [named] : rows.slice(0, Math.ceil(rows.length / 2)), signal)
    const rest = () => rows.filter((each) => waiting.has(each))
    if (isFirst && sent.refused.length === 1) await tryOthers(rest(), signal)
    await sendApart(rest(), signal)
  }

  /** If the server refuses the first row, perhaps it refuses all: two others tell. */
  async function tryOthers(rows: readonly Row[], signal: AbortSignal): Promise<void> {
    const others = [rows[Math.floor(rows.length / 2)], rows.at(-1)]
    for (const each of new Set(others)) await sendApart(each ? [each] : [], signal)
    const reasons = new Set(sent.refused.map(({ reason }) => reason.replaceAll(/\d+/g, '0')))
    const [first] = sent.refused
    if (sent.refused.length === 3 && reasons.size === 1) add({ refusesAll: first?.reason })
  }

  /**
   * @returns how many of the first rows are stored, and why not all
   * @throws SemblanceError for what concerns all rows
   */
  async function sendSome(
    rows: readonly Row[],
    signal: AbortSignal,
  ): Promise<{ done: number; refusal?: SemblanceError }> {
    const path = `v1/embeddings/${frame.name}?${query}`
    const lines = rows.map(({ json }) => `${json}\n`).join('')
    for (let attempt = 0; ; attempt += 1) {
      let last: Counts | undefined
      try {
        for await (const line of callLines<Counts>(path, { lines, last: 'done', signal }))
          last = line
        if (last !== undefined) count(last)
        return { done: rows.length }
      } catch (error) {
        signal.throwIfAborted()
        const refusal = asRefusal(error)
        if (last !== undefined) count(last)
        if (unanswered.includes(refusal.status)) add({ hasLost: true })
        const done = last?.lines ?? 0
        if (done > 0 || ofRows.includes(refusal.status) || lineIn(refusal) > 0) {
          return { done, refusal }
        }
        const passes = passing.includes(refusal.status) && !final.test(refusal.detail)
        const seconds = passes ? waitSeconds[attempt] : undefined
        if (seconds === undefined) throw refusal
        add({ waits: `${refusal.detail} Trying again in ${seconds} s.` })
        await pause(1_000 * seconds, signal)
        // What is stored by now is skipped.
      }
    }
  }

  const count = (counts: Counts) =>
    add({
      stored: sent.stored + counts.stored,
      replaced: sent.replaced + counts.replaced,
      kept: sent.kept + counts.skipped + counts.unchanged,
      ignored: [...new Set([...sent.ignored, ...(counts.ignored ?? [])])],
    })

  return send
}

/** Which line of the request is refused, as the server names it; NaN if it names none. */
const lineIn = ({ detail }: SemblanceError) => Number(/\bline (\d+)\b/.exec(detail)?.[1])

/** What is wrong with a row that was sent alone. */
const reasonOf = ({ detail }: SemblanceError) =>
  detail.replace(/^line 1: /, '').replace(/ \((line 1, )?text_id '.*'\)$/s, '')

/** What may be wrong with a row. */
const ofRows = [400, 409, 413, 422]
/** What passes if one waits: no answer, too many requests, a server that starts or is busy. */
const passing = [0, 408, 429, 502, 503, 504]
/** What a provider answers, such as to a wrong key, until somebody changes it. */
const final = /provider answered 4(?!08|29)/
/** What does not say whether rows were stored. */
const unanswered = [0, 502, 503, 504]
const waitSeconds = [1, 2, 5, 15, 30]
