declare global {
  /**
   * The requests that the page sent before its scripts were loaded, by URL; see
   * src/pages/shell.tsx.
   */
  var firstAnswers: Map<string, Promise<Response>> | undefined
}

/** Returns each early answer once, so that a repeated request gets fresh data. */
export function takeFirst(url: string): Promise<Response> | undefined {
  const found = globalThis.firstAnswers?.get(url)
  globalThis.firstAnswers?.delete(url)
  return found
}

/** Drops the early answers, because they were for the previous key. */
export const dropFirst = (): void => globalThis.firstAnswers?.clear()
