import type { Log } from '../log.ts'

/**
 * Resolves at the first signal. Further ones are ignored: at Ctrl-C npm passes on one of its own.
 */
export function askedToStop(log?: Log): Promise<undefined> {
  return new Promise((resolve) => {
    let isAsked = false
    const stop = () => {
      if (!isAsked) log?.info('stopping')
      isAsked = true
      resolve(undefined)
    }
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop)
  })
}
