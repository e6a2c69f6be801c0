/** @returns what lets others go first when this much time has gone by since it did so last */
export function createPause(sliceMs: number): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
