declare global {
  /** What the page has asked for before its scripts were there, by URLs: src/pages/shell.tsx. */
  var firstAnswers: Map<string, Promise<Response>> | undefined
}

/** Once: what is asked for again is to be as it is then. */
export function takeFirst(url: string): Promise<Response> | undefined {
  const found = globalThis.firstAnswers?.get(url)
  globalThis.firstAnswers?.delete(url)
  return found
}

/** They were for whoever had opened the page. */
export const dropFirst = (): void => globalThis.firstAnswers?.clear()
