import { useRef, useState } from 'hono/jsx/dom'
import { callLines, RefusedCall } from '../call.ts'
import { frame } from '../frame.ts'
import { pause, useLoaded } from '../loading.ts'
import { type DuplicatesView, maxNeighbours, neighboursBody } from './duplicates-view.ts'
import { type NeighboursLine, type Pair, PairCollector } from './pairs.ts'

interface ComparisonProgress {
  readonly compared: number
  /** Undefined until the server sends it. */
  readonly total: number | undefined
  readonly pairs: readonly Pair[]
}

/** The result of a comparison, even of one that was stopped. */
export interface FoundPairs {
  /** Most similar first. */
  readonly pairs: readonly Pair[]
  /** Undefined if the comparison was stopped. */
  readonly whole: { readonly embeddings: number; readonly isApproximate: boolean } | undefined
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
  tell: (progress: ComparisonProgress) => unknown,
): Promise<FoundPairs> {
  const collector = new PairCollector(maxNeighbours)
  let whole: FoundPairs['whole']
  let compared = 0
  let total: number | undefined
  let saidAt = 0
  try {
    for await (const line of neighbourLines(body, signal)) {
      if (line.progress !== undefined) {
        compared = line.progress.done
        total = line.progress.total ?? undefined
      }
      if (line.embeddings !== undefined)
        whole = { embeddings: line.embeddings, isApproximate: line.mode === 'approximate' }
      if (isNeighbours(line)) collector.add(line)
      if (collector.isFull) break
      if (Date.now() - saidAt < tellEveryMs) continue
      saidAt = Date.now()
      tell({ compared, total, pairs: collector.sorted() })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return { pairs: collector.sorted(), whole, collected: collector }
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
      const isBusy = error instanceof RefusedCall && error.status === 409
      if (!isBusy || attempt === maxAttempts || signal.aborted) throw error
      await pause(500, signal)
    }
  }
}

export type PairComparison = ReturnType<typeof useComparison>

const begun: ComparisonProgress = { compared: 0, total: undefined, pairs: [] }

/** Compares again only for pairs that were not requested. A higher threshold hides some. */
export function useComparison(view: DuplicatesView, caller: string) {
  const asked = useRef<{ scope: string; from: number }>({ scope: '', from: 1 })
  const { different, filter, prefix, threshold } = view
  const scope = JSON.stringify([caller, different, filter, prefix])
  if (asked.current?.scope !== scope || threshold < asked.current.from)
    asked.current = { scope, from: threshold }
  const { from } = asked.current
  const [progress, tell] = useState(begun)
  const stopping = useRef<AbortController | null>(null)
  const { value, refusal, isLoading, reload } = useLoaded(`${from} ${scope}`, (signal) => {
    const stop = new AbortController()
    stopping.current = stop
    tell(begun)
    const either = AbortSignal.any([signal, stop.signal])
    return readPairs(neighboursBody(view, from), either, (next) => signal.aborted || tell(next))
  })
  return {
    /** Undefined while the comparison runs. */
    found: isLoading ? undefined : value,
    refusal: isLoading ? undefined : refusal,
    progress,
    stop: () => stopping.current?.abort(),
    again: reload,
  }
}
