const rewrittenMs = 200
const printedMs = 5_000

const time = (seconds: number) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/** Shows progress on stderr: one rewritten line on a terminal, elsewhere a line every 5 s. */
export function createProgress(what: string) {
  const { isTTY } = process.stderr
  const start = performance.now()
  let shownAt = isTTY ? Number.NEGATIVE_INFINITY : start
  let isShown = false
  const clear = () => {
    if (isTTY && isShown) process.stderr.write('\r\u001b[2K')
    isShown = false
  }
  return {
    /**
     * @param total the number of all items, or the part that is done if it is a fraction of 1 or
     *   less
     */
    show(done: number, total: number | undefined): void {
      const now = performance.now()
      if (now - shownAt < (isTTY ? rewrittenMs : printedMs)) return
      shownAt = now
      const seconds = (now - start) / 1000
      const part = total === undefined ? undefined : total <= 1 ? total : done / total
      const rate = `${Math.round(done / seconds).toLocaleString('en')}/s`
      const left =
        part === undefined || part === 0
          ? ''
          : `, ${Math.floor(part * 100)} %, ${time((seconds / part) * (1 - part))} left`
      const line = `${done.toLocaleString('en')} ${what}, ${rate}${left}`
      clear()
      process.stderr.write(isTTY ? line.slice(0, (process.stderr.columns || 80) - 1) : `${line}\n`)
      isShown = true
    },
    clear,
  }
}
