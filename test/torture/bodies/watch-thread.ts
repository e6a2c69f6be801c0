import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { memoryOf } from '../../shared/memory.ts'
import { percentile } from '../../shared/percentiles.ts'

const everyMs = 10
const { url, pid }: { readonly url: string; readonly pid: number } = workerData
const agent = new Agent({ keepAlive: true })
const memory = () => memoryOf(pid).now ?? Number.NaN

/** Of the main thread, in milliseconds. */
const cpuTime = () =>
  Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8'), 10) / 1e6

let took: number[] = []
let busySince = cpuTime()
let before = memory()
let peak = before
let began = performance.now()
let isWaiting = false

const ask = () =>
  new Promise<void>((resolve) => {
    get(`${url}/livez`, { agent }, (response) => response.resume().on('end', resolve)).on(
      'error',
      () => resolve(),
    )
  })

// The connection is closed when it was idle for some seconds, as it never is.
async function run(): Promise<never> {
  for (;;) {
    began = performance.now()
    isWaiting = true
    await ask()
    isWaiting = false
    took.push(performance.now() - began)
    await sleep(everyMs)
  }
}

setInterval(() => {
  peak = Math.max(peak, memory())
}, everyMs)

parentPort?.on('message', () => {
  // One that is not answered yet has taken at least so long.
  const all = isWaiting ? [...took, performance.now() - began] : took
  const busy = cpuTime() - busySince
  const p50 = percentile(all, 0.5)
  parentPort?.postMessage({ worst: Math.max(0, ...all), p50, busy, before, peak })
  busySince += busy
  took = []
  before = memory()
  peak = before
})

void run()
