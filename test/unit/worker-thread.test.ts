import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workerScript } from '../../src/concurrency/worker-script.ts'
import { WorkerThread } from '../../src/concurrency/worker-thread.ts'

const cpuTime = workerScript(import.meta.url, '../../src/concurrency/cpu-time.ts')
const serveRequests = workerScript(import.meta.url, '../../src/concurrency/serve-requests.ts')

const script = `
  import { cpuTime, threadStatFile } from '${cpuTime}'
  import { notify, serveRequests } from '${serveRequests}'
  const statFile = threadStatFile()
  const doze = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  const last = []
  serveRequests(async (request) => {
    if (request === 'wait') await new Promise((resolve) => last.push(resolve))
    if (request === 'go on') last.shift()()
    if (request === 'end') {
      notify('it ends')
      process.exit(1)
    }
    const start = cpuTime(statFile)
    while (request === 'spin');
    while (request === 'work' && cpuTime(statFile) - start < 300);
    if (request === 'fail') throw new Error('failed')
    if (request === 'doze') doze(500)
    if (request === 'sleep') doze(60_000)
    for (const eaten = []; request === 'eat'; ) eaten.push({ length: eaten.length })
    return request
  })
`
const newThread = (options: { heard?: (notice: string) => void; signal?: AbortSignal } = {}) =>
  new WorkerThread<string, string, string>(
    new URL(`data:text/javascript,${encodeURIComponent(script)}`),
    { resourceLimits: { maxOldGenerationSizeMb: 32 }, ...options },
  )
/** With a timeout that no busy machine exceeds. */
const within = (cpuMs: number, timeoutMs = 60_000) => ({ budget: { cpuMs, timeoutMs } })

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

  it('answers each of several requests with its own reply', async () => {
    const thread = newThread()
    const answered: string[] = []
    const asked = ['wait', 'one', 'go on'].map(async (request) => {
      const answer = await thread.ask(request)
      answered.push(answer)
      return answer
    })
    expect(await Promise.all(asked)).toEqual(['wait', 'one', 'go on'])
    expect(answered[0]).toBe('one')
    expect(thread.busy).toBe(false)
  })

  it('is heard until it ends, which fails everything that it was asked', async () => {
    const heard: string[] = []
    const thread = newThread({ heard: (notice) => heard.push(notice) })
    const waiting = expect(thread.ask('wait')).rejects.toMatchObject({ reason: 'failure' })
    thread.tell('end')
    await waiting
    expect(heard).toEqual(['it ends'])
    await thread.exit
    expect(thread).toMatchObject({ busy: false, alive: false })
  })

  it('ends with the signal that it was given, or at once if that has fired before', async () => {
    const controller = new AbortController()
    const thread = newThread({ signal: controller.signal })
    const waiting = expect(thread.ask('wait')).rejects.toMatchObject({ reason: 'stopped' })
    controller.abort()
    await waiting
    const late = newThread({ signal: controller.signal })
    await expect(late.ask('one')).rejects.toMatchObject({ reason: 'stopped' })
    await expect(late.ready).rejects.toMatchObject({ reason: 'stopped' })
  })

  it.each<readonly [string, string, number]>([
    ['spin', 'cpu-time', 50],
    // On Bun a thread's memory has no limit.
    ...(process.versions['bun'] ? [] : [['eat', 'memory', 20_000] as const]),
    ['fail', 'failure', 20_000],
  ])('that is told to %s ends for a reason: %s', async (request, reason, cpuMs) => {
    const thread = newThread()
    await expect(thread.ask(request, within(cpuMs))).rejects.toMatchObject({ reason })
    expect(thread).toMatchObject({ busy: false, alive: false })
  })

  it('that does not start ends for a reason: failure', async () => {
    const script = new URL('data:text/javascript,throw new Error("broken")')
    const thread = new WorkerThread<string, string>(script)
    await expect(thread.ask('one')).rejects.toMatchObject({ reason: 'failure' })
    expect(thread).toMatchObject({ busy: false, alive: false })
  })

  it('that has ended answers nothing more, and says so', async () => {
    const thread = newThread()
    expect(await thread.ask('one')).toBe('one')
    thread.stop()
    const ended = { reason: 'stopped' }
    await expect(thread.ask('at once')).rejects.toMatchObject(ended)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await expect(thread.ask('later')).rejects.toMatchObject(ended)
  })

  it('has its budget from when it is ready, and answers in time while the asker is busy', async () => {
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

describe.skipIf(!existsSync('/proc/thread-self'))('the cpu budget of a worker thread', () => {
  it('is processor time: what it waits for does not count', async () => {
    const thread = newThread()
    expect(await thread.ask('doze', within(100))).toBe('doze')
    await expect(thread.ask('spin', within(100))).rejects.toMatchObject({ reason: 'cpu-time' })
  })

  it('is spent by that thread alone on a busy machine', async () => {
    keepMachineBusy()
    expect(await newThread().ask('work', within(500))).toBe('work')
  })

  it('is not needed for a timeout', async () => {
    const answer = newThread().ask('spin', { budget: { timeoutMs: 100 } })
    await expect(answer).rejects.toMatchObject({ reason: 'timeout' })
  })

  it('ends with its timeout', async () => {
    const thread = newThread()
    const answer = thread.ask('sleep', within(100, 300))
    await expect(answer).rejects.toMatchObject({ reason: 'timeout' })
    expect(thread).toMatchObject({ busy: false, alive: false })
  })
})
