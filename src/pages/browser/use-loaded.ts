import { useLayoutEffect, useState } from 'hono/jsx/dom'
import { RefusedCall } from './call.ts'

export interface Loaded<Value> {
  /** Of before, while another one is under way. */
  readonly value: Value | undefined
  readonly refusal: RefusedCall | undefined
  readonly isLoading: boolean
}

/**
 * What is loaded anew whenever `of` changes; what was under way for another is broken off.
 * @param of what the value is loaded for, as a text
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
  // At once: an effect of the next animation frame also runs, and shows, for a component that is gone by then.
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
