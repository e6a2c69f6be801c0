/**
 * @returns a function that lets others go first if this much time has passed since it last did so
 */
export function createPause(sliceMs: number): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
