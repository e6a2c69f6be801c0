import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import type { SemblanceError } from '../clients/typescript/src/error.ts'
import { asRefusal, call } from './call.ts'
import { frame, island } from './frame.ts'

export interface Loaded<Value> {
  /** The previous value stays while the next one is loading. */
  readonly value: Value | undefined
  readonly refusal: SemblanceError | undefined
  readonly isLoading: boolean
  /** Loads the same anew, after a change. */
  readonly reload: () => void
}

const nothing = { value: undefined, refusal: undefined, isLoading: false }

/**
 * Loads a value anew whenever `of` changes, and aborts the load for the previous one.
 * @param of identifies what the value is loaded for; undefined loads nothing
 */
export function useLoaded<Value>(
  of: string | undefined,
  load: (signal: AbortSignal, of: string) => Promise<Value>,
): Loaded<Value> {
  const [state, set] = useState<Omit<Loaded<Value>, 'reload'>>({ ...nothing, isLoading: true })
  const [times, renew] = useState(0)
  // A layout effect runs at once, and once. Effects of useEffect wait for the next animation frame:
  // until then they may be there twice, or belong to a component that is gone.
  useLayoutEffect(() => {
    const abort = new AbortController()
    const show = (loaded: Partial<Loaded<Value>>) => {
      if (!abort.signal.aborted) set({ ...nothing, ...loaded })
    }
    if (of === undefined) return show({})
    set((before) => ({ ...before, isLoading: true }))
    load(abort.signal, of).then(
      (value) => show({ value }),
      (error: unknown) => show({ refusal: asRefusal(error) }),
    )
    return () => abort.abort()
  }, [of, times])
  const shown = of === undefined ? nothing : state
  return { ...shown, reload: () => renew((before) => before + 1) }
}

/** @throws the reason as soon as the signal is aborted */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Loads the answer to a GET. @param path undefined loads nothing @param options such as a key */
export const useAnswer = <Data>(
  path: string | undefined,
  of = path ?? '',
  options: Parameters<typeof call>[1] = {},
): Loaded<Data> =>
  useLoaded<Data>(path && of, async (signal) => {
    const { data } = await call<Data>(path ?? '', { ...options, signal })
    return data
  })

/** Loads the metadata fields of the project, and the paths of those that have values. */
export function useFields(isWanted = true) {
  const path = isWanted ? `v1/projects/${frame.name}/fields` : undefined
  const { value, refusal } = useAnswer<Schemas['ProjectFields']>(path)
  const fields = value?.fields ?? []
  const paths = fields.flatMap((field) => (field.values.length > 0 ? field.path : []))
  return { value, refusal, paths }
}

const urlChanged = 'url-changed'

/**
 * Keeps the state of a page in its URL, so that the back button returns to the state before. A link to
 * another state shows it without leaving the page.
 */
export function useUrlState<State extends object>(
  read: (url: Location) => State,
  print: (state: State) => string,
): [State, (state: State, how?: 'pushState' | 'replaceState') => void] {
  const [state, show] = useState(() => read(location))
  const turnTo = (url: string, how: 'pushState' | 'replaceState' = 'pushState') => {
    history[how](null, '', url === '?' ? location.pathname : url)
    dispatchEvent(new Event(urlChanged))
  }
  useLayoutEffect(() => {
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const isPlain =
        event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      if (!isPlain || link?.origin !== location.origin || link.pathname !== location.pathname)
        return
      event.preventDefault()
      turnTo(link.search + link.hash || '?')
      show(read(location))
      scrollTo({ top: 0 })
    }
    island?.addEventListener('click', follow)
    const end = listen(['popstate'], () => show(read(location)))
    return () => {
      island?.removeEventListener('click', follow)
      end()
    }
  }, [])
  const go = (next: State, how?: 'pushState' | 'replaceState') => {
    turnTo(print(next), how)
    show(next)
  }
  return [state, go]
}

/** The URL, also after the page has changed it. */
export function useUrl(): URL {
  const [url, show] = useState(location.href)
  useLayoutEffect(() => listen(['popstate', urlChanged], () => show(location.href)), [])
  return new URL(url)
}

function listen(events: readonly string[], hear: () => void): () => void {
  const abort = new AbortController()
  for (const event of events) addEventListener(event, hear, abort)
  return () => abort.abort()
}

/** Runs what changes something, says whether it still runs, and keeps why it was refused. */
export function useStep() {
  const idle = { isBusy: false, refusal: undefined }
  const [state, set] = useState<{ isBusy: boolean; refusal: SemblanceError | undefined }>(idle)
  const isGone = useRef(false)
  const running = useRef<AbortController | null>(null)
  useLayoutEffect(
    () => () => {
      isGone.current = true
    },
    [],
  )
  const show = (next: typeof state) => {
    if (isGone.current !== true) set(next)
  }
  const run = (step: (signal: AbortSignal) => Promise<void>) => {
    const abort = new AbortController()
    running.current = abort
    show({ ...idle, isBusy: true })
    step(abort.signal).then(
      () => show(idle),
      (error: unknown) => show({ ...idle, refusal: isAbort(error) ? undefined : asRefusal(error) }),
    )
  }
  return { ...state, run, stop: () => running.current?.abort() }
}

/** A stop, or the choice of no file, is no refusal. */
const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'
