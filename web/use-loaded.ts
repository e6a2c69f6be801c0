import { useLayoutEffect, useState } from 'hono/jsx/dom'
import { RefusedCall } from './call.ts'

export interface Loaded<Value> {
  /** The previous value stays while the next one is loading. */
  readonly value: Value | undefined
  readonly refusal: RefusedCall | undefined
  readonly isLoading: boolean
}

/**
 * Loads a value anew whenever `of` changes, and aborts the load for the previous one.
 * @param of identifies what the value is loaded for
 */
export function useLoaded<Value>(
  of: string,
  load: (signal: AbortSignal) => Promise<Value> | undefined,
): Loaded<Value> {
  const [state, set] = useState<Loaded<Value>>({
    value: undefined,
    refusal: undefined,
    isLoading: true,
  })
  // A layout effect runs at once. An ordinary effect waits for the next animation frame, and would
  // also run, and set state, for a component that is gone by then.
  useLayoutEffect(() => {
    const abort = new AbortController()
    const show = (found: Partial<Loaded<Value>>) => {
      if (abort.signal.aborted) return
      set({ value: undefined, refusal: undefined, isLoading: false, ...found })
    }
    const loading = load(abort.signal)
    if (loading === undefined) show({})
    else {
      set((before) => ({ ...before, isLoading: true }))
      loading.then(
        (value) => show({ value }),
        (error: unknown) => show({ refusal: refusalOf(error) }),
      )
    }
    return () => abort.abort()
  }, [of])
  return state
}

const refusalOf = (error: unknown): RefusedCall =>
  error instanceof RefusedCall ? error : new RefusedCall(0, String(error))
