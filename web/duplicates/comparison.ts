import { useRef, useState } from 'hono/jsx/dom'
import { asRefusal, callLines } from '../call.ts'
import { frame } from '../frame.ts'
import { pause, useLoaded } from '../loading.ts'
import { type DuplicatesView, maxNeighbours, neighboursBody } from './duplicates-view.ts'
import { type NeighboursLine, type Pair, PairCollector } from './pairs.ts'

/** What a comparison has found, so far or until it was stopped. */
interface Comparison {
  readonly compared: number
  /** How many texts there are, once the server says so. */
  readonly total: number | null
  /** Most similar first. */
  readonly pairs: readonly Pair[]
  /** Undefined until all are compared. */
  readonly whole: Pick<Line, 'embeddings' | 'mode'> | undefined
  readonly collected: Pick<PairCollector, 'floor' | 'isFull' | 'crowded'>
}

const tellEveryMs = 1_000

/**
 * Lets the server compare all texts, and collects the pairs.
 * @param signal stops the comparison; the pairs found so far are then the result
 */
async function readPairs(
  body: object,
  signal: AbortSignal,
  tell: (comparison: Comparison) => unknown,
): Promise<Comparison> {
  const collected = new PairCollector(maxNeighbours)
  let { compared, total, whole } = begun
  let saidAt = 0
  const soFar = () => ({ compared, total, whole, collected, pairs: collected.sorted() })
  try {
    for await (const line of neighbourLines(body, signal)) {
      if (line.progress !== undefined) ({ done: compared, total } = line.progress)
      if (line.embeddings !== undefined) whole = line
      if (isNeighbours(line)) collected.add(line)
      if (collected.isFull) break
      if (Date.now() - saidAt < tellEveryMs) continue
      saidAt = Date.now()
      tell(soFar())
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return soFar()
}

interface Line extends Partial<NeighboursLine> {
  readonly progress?: { readonly done: number; readonly total: number | null }
  readonly embeddings?: number
  readonly mode?: 'exact' | 'approximate'
}

const isNeighbours = (line: Line): line is Line & NeighboursLine =>
  line.id !== undefined && line.neighbours !== undefined

const maxAttempts = 6

/**
 * Retries a 409: the server runs one comparison at a time per caller, and notices only after a
 * while that a page has abandoned its comparison.
 */
async function* neighbourLines(body: object, signal: AbortSignal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const path = `v1/similars/${frame.name}/neighbours`
      yield* callLines<Line>(path, { body, last: 'done', signal })
      return
    } catch (error) {
      const isBusy = asRefusal(error).status === 409
      if (!isBusy || attempt === maxAttempts || signal.aborted) throw error
      await pause(500, signal)
    }
  }
}

const begun: Comparison = {
  ...{ compared: 0, total: null, pairs: [], whole: undefined },
  collected: { floor: 0, isFull: false, crowded: 0 },
}

/** Compares again only for pairs that were not requested. A higher threshold hides some. */
export function useComparison(view: DuplicatesView) {
  const asked = useRef<{ scope: string; from: number }>({ scope: '', from: 1 })
  const { different, filter, prefix, threshold } = view
  const scope = JSON.stringify([different, filter, prefix])
  if (asked.current?.scope !== scope || threshold < asked.current.from)
    asked.current = { scope, from: threshold }
  const { from } = asked.current
  const [progress, tell] = useState(begun)
  const stopping = useRef<AbortController | null>(null)
  const {
    value = begun,
    refusal,
    isLoading,
    reload,
  } = useLoaded(`${from} ${scope}`, (signal) => {
    const stop = new AbortController()
    stopping.current = stop
    tell(begun)
    const either = AbortSignal.any([signal, stop.signal])
    return readPairs(neighboursBody(view, from), either, (next) => signal.aborted || tell(next))
  })
  return {
    isRunning: isLoading,
    found: isLoading ? progress : value,
    refusal: isLoading ? undefined : refusal,
    stop: () => stopping.current?.abort(),
    again: reload,
  }
}
