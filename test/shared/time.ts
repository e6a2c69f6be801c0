/** Settles as `promise` does. @throws when that takes longer; what runs is not stopped by it */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${what}: not done after ${ms / 1000} s`)
    timer = setTimeout(() => reject(error), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Says what is going on, to whoever watches. */
export const note = (text: string) =>
  void process.stderr.write(`${performance.now().toFixed(0).padStart(8)} ms ${text}\n`)
