import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { memoryOf } from '../../shared/memory.ts'

const everyMs = 10

/** What was seen of a server in some time. */
export interface Seen {
  /** The longest that /livez took, in milliseconds. */
  readonly worst: number
  /** Processor time of the thread that answers, in milliseconds: the machine may be busy with other things. */
  readonly busy: number
  /** By how many mebibytes its resident memory grew, at most. */
  readonly growth: number
}

/** Asks a server for /livez, and the system for its memory, from a thread that does nothing else. */
export class Watch {
  readonly #thread: Worker

  constructor(url: string, pid: number) {
    this.#thread = new Worker(new URL(import.meta.url), { workerData: { url, pid } })
  }

  /** Begins anew. @returns what was seen since the last time */
  async next(): Promise<Seen> {
    const answer = once(this.#thread, 'message')
    this.#thread.postMessage('next')
    const [seen]: Seen[] = await answer
    if (seen === undefined) throw new Error('nothing was seen')
    return seen
  }

  async end(): Promise<void> {
    await this.#thread.terminate()
  }
}

if (!isMainThread) await watch(workerData)

async function watch({ url, pid }: { readonly url: string; readonly pid: number }): Promise<never> {
  const agent = new Agent({ keepAlive: true })
  const memory = () => memoryOf(pid).now ?? Number.NaN
  const schedule = `/proc/${pid}/task/${pid}/schedstat`
  const cpuTime = () => Number.parseInt(readFileSync(schedule, 'utf8'), 10) / 1e6
  const ask = () =>
    new Promise<void>((resolve) => {
      const request = get(`${url}/livez`, { agent }, (answer) => answer.resume().on('end', resolve))
      request.on('error', () => resolve())
    })
  let worst = 0
  let busySince = cpuTime()
  let before = memory()
  let peak = before
  let waitingSince: number | undefined
  setInterval(() => {
    peak = Math.max(peak, memory())
  }, everyMs)
  parentPort?.on('message', () => {
    // One that is not answered yet has taken at least so long.
    const waits = waitingSince === undefined ? 0 : performance.now() - waitingSince
    const busy = cpuTime() - busySince
    parentPort?.postMessage({ worst: Math.max(worst, waits), busy, growth: peak - before })
    busySince += busy
    worst = 0
    before = memory()
    peak = before
  })
  for (; ; await sleep(everyMs)) {
    waitingSince = performance.now()
    await ask()
    worst = Math.max(worst, performance.now() - waitingSince)
    waitingSince = undefined
  }
}
