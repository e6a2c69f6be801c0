import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WorkerThread } from '../../src/concurrency/worker-thread.ts'

const script = `
  import { parentPort } from 'node:worker_threads'
  import { cpuTime, threadStatFile } from '${new URL('../../src/concurrency/cpu-time.js', import.meta.url)}'
  const statFile = threadStatFile()
  const doze = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  parentPort.on('message', (request) => {
    const start = cpuTime(statFile)
    while (request === 'spin');
    while (request === 'work' && cpuTime(statFile) - start < 300);
    if (request === 'fail') throw new Error('failed')
    if (request === 'doze') doze(500)
    if (request === 'sleep') doze(60_000)
    for (const eaten = []; request === 'eat'; ) eaten.push({ length: eaten.length })
    parentPort.postMessage(request)
  })
  parentPort.postMessage({ statFile })
`
const newThread = () =>
  new WorkerThread<string, string>(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    maxOldGenerationSizeMb: 32,
  })
/** With patience that no busy machine exhausts. */
const within = (budgetMs: number, timeoutMs = 60_000) => ({ budget: { budgetMs, timeoutMs } })

/** Twice as many threads as the machine has processors, none of which ever pauses. */
function keepMachineBusy(): void {
  const hogs = Array.from(
    { length: 2 * availableParallelism() },
    () => new Worker('for (;;);', { eval: true }),
  )
  onTestFinished(async () => {
    await Promise.all(hogs.map((hog) => hog.terminate()))
  })
}

describe('a worker thread', () => {
  it('answers one request after the other', async () => {
    const thread = newThread()
    for (const request of ['one', 'two']) {
      const answer = thread.ask(request, within(5_000))
      expect(thread.busy).toBe(true)
      expect(await answer).toBe(request)
      expect(thread).toMatchObject({ busy: false, alive: true })
    }
  })

  it.each([
    ['spin', 'time', 50],
    ['eat', 'memory', 20_000],
    ['fail', 'failure', 20_000],
  ])('that is told to %s ends for a reason: %s', async (request, reason, budgetMs) => {
    const thread = newThread()
    await expect(thread.ask(request, within(budgetMs))).rejects.toMatchObject({ reason })
    expect(thread).toMatchObject({ busy: false, alive: false })
  })

  it('has its time from when it is ready, and answers in time while the asker is busy', async () => {
    const thread = newThread()
    const answer = thread.ask('first', within(200))
    const until = performance.now() + 500
    while (performance.now() < until);
    expect(await answer).toBe('first')
    // From here the event loop looks at timers first.
    await new Promise(setImmediate)
    const second = thread.ask('second', within(200))
    const later = performance.now() + 500
    while (performance.now() < later);
    expect(await second).toBe('second')
  })
})

describe.skipIf(!existsSync('/proc/thread-self'))('the time of a worker thread', () => {
  it('is processor time: what it waits for does not count', async () => {
    const thread = newThread()
    expect(await thread.ask('doze', within(100))).toBe('doze')
    await expect(thread.ask('spin', within(100))).rejects.toMatchObject({ reason: 'time' })
  })

  it('is its own on a busy machine', { timeout: 120_000 }, async () => {
    keepMachineBusy()
    expect(await newThread().ask('work', within(500))).toBe('work')
  })

  it('is not waited for without end', async () => {
    const thread = newThread()
    const answer = thread.ask('sleep', within(100, 300))
    await expect(answer).rejects.toMatchObject({ reason: 'starved' })
    expect(thread).toMatchObject({ busy: false, alive: false })
  })
})
