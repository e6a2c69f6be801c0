import { describe, expect, it } from 'vitest'
import { WorkerThread } from '../../src/threads/worker-thread.ts'

const script = `
  import { parentPort } from 'node:worker_threads'
  parentPort.on('message', (request) => {
    while (request === 'spin');
    if (request === 'fail') throw new Error('failed')
    for (const eaten = []; request === 'eat'; ) eaten.push({ length: eaten.length })
    parentPort.postMessage(request)
  })
  parentPort.postMessage('ready')
`
const newThread = () =>
  new WorkerThread<string, string>(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    maxOldGenerationSizeMb: 32,
  })

describe('a worker thread', () => {
  it('answers one request after the other', async () => {
    const thread = newThread()
    for (const request of ['one', 'two']) {
      const answer = thread.ask(request, { budgetMs: 5_000 })
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
    await expect(thread.ask(request, { budgetMs })).rejects.toMatchObject({ reason })
    expect(thread).toMatchObject({ busy: false, alive: false })
  })

  it('has its time from when it is ready, and answers in time while the asker is busy', async () => {
    const thread = newThread()
    const answer = thread.ask('first', { budgetMs: 200 })
    const until = performance.now() + 500
    while (performance.now() < until);
    expect(await answer).toBe('first')
    // From here the event loop looks at timers first.
    await new Promise(setImmediate)
    const second = thread.ask('second', { budgetMs: 200 })
    const later = performance.now() + 500
    while (performance.now() < later);
    expect(await second).toBe('second')
  })
})
