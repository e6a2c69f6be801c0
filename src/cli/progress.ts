const rewrittenMs = 200
const printedMs = 5_000

const time = (seconds: number) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/**
 * Shows progress on stderr: one rewritten line on a terminal, elsewhere a line every 5 s. The time
 * left is estimated from the first call of `show` on.
 */
export function createProgress(what: string) {
  const { isTTY } = process.stderr
  let start: number | undefined
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false
  const clear = () => {
    if (isTTY && isShown) process.stderr.write('\r\u001b[2K')
    isShown = false
  }
  return {
    show(done: number, total: number): void {
      const now = performance.now()
      if (start === undefined) {
        start = now
        if (!isTTY) shownAt = now
      }
      if (now - shownAt < (isTTY ? rewrittenMs : printedMs)) return
      shownAt = now
      const seconds = Math.max(now - start, 1) / 1000
      const rate = `${Math.round(done / seconds).toLocaleString('en')}/s`
      const percent = Math.floor((done / total) * 100)
      const left =
        done === 0 ? '' : `, ${percent} %, ${time((seconds / done) * (total - done))} left`
      const line = `${done.toLocaleString('en')} ${what}, ${rate}${left}`
      clear()
      process.stderr.write(isTTY ? line.slice(0, (process.stderr.columns || 80) - 1) : `${line}\n`)
      isShown = true
    },
    clear,
  }
}
