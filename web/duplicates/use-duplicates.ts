import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { RefusedCall } from '../call.ts'
import { type DuplicatesView, neighboursBody } from './duplicates-view.ts'
import { type ComparisonProgress, type FoundPairs, readPairs } from './read-pairs.ts'

export interface PairComparison {
  /** Undefined while the comparison runs. */
  readonly found: FoundPairs | undefined
  readonly refusal: RefusedCall | undefined
  readonly progress: ComparisonProgress
  readonly stop: () => void
  readonly again: () => void
}

interface State extends Pick<PairComparison, 'found' | 'refusal' | 'progress'> {
  /** Identifies the comparison. */
  readonly of: string
}

const begun: ComparisonProgress = { compared: 0, total: undefined, pairs: [] }

/**
 * Compares again only if the view needs pairs that were not requested. A higher threshold just
 * hides pairs.
 * @param project `owner/handle`
 * @param caller changes with each key
 */
export function useDuplicates(
  project: string,
  view: DuplicatesView,
  caller: string,
): PairComparison {
  const [attempt, count] = useState(0)
  const asked = useRef<{ scope: string; from: number }>({ scope: '', from: 1 })
  const { different, filter, prefix, threshold } = view
  const scope = JSON.stringify([caller, attempt, different, filter, prefix])
  if (asked.current?.scope !== scope || threshold < asked.current.from)
    asked.current = { scope, from: threshold }
  const { from } = asked.current
  const of = `${from} ${scope}`
  const [state, set] = useState<State>({
    ...{ of, found: undefined, refusal: undefined, progress: begun },
  })
  const stopping = useRef<AbortController | null>(null)
  useLayoutEffect(() => {
    const abort = new AbortController()
    stopping.current = abort
    let isLeft = false
    const show = (next: Partial<State>) => {
      if (!isLeft)
        set((before) => ({ ...before, found: undefined, refusal: undefined, of, ...next }))
    }
    show({ progress: begun })
    readPairs(project, neighboursBody(view, from), abort.signal, (progress) =>
      show({ progress }),
    ).then(
      (found) => show({ found }),
      (error: unknown) =>
        show({
          refusal: error instanceof RefusedCall ? error : new RefusedCall(0, String(error)),
        }),
    )
    return () => {
      isLeft = true
      abort.abort()
    }
  }, [of])
  const isCurrent = state.of === of
  return {
    found: isCurrent ? state.found : undefined,
    refusal: isCurrent ? state.refusal : undefined,
    progress: isCurrent ? state.progress : begun,
    stop: () => stopping.current?.abort(),
    again: () => count((before) => before + 1),
  }
}
