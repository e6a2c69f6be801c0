import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { PeriodicTask } from '../../src/concurrency/periodic-task.ts'

const never = 3_600_000

class Task extends PeriodicTask {
  readonly #runOnce: () => Promise<void>
  readonly failures: unknown[] = []

  constructor(work: () => Promise<void>) {
    super({ everyMs: never, soonMs: 1, retryMs: 1 })
    this.#runOnce = work
  }

  protected override work(): Promise<void> {
    return this.#runOnce()
  }

  protected override failed(error: unknown): void {
    this.failures.push(error)
  }
}

test('a run that failed is repeated, though nobody asks for it again, and reported once', async () => {
  let runs = 0
  const done = new EventTarget()
  const task = new Task(async () => {
    runs += 1
    if (runs === 2 || runs === 3) throw new Error(`the database is away at run ${runs}`)
    if (runs === 4) done.dispatchEvent(new Event('done'))
  })
  onTestFinished(() => task.stop())
  const repeated = once(done, 'done')
  task.start()
  task.wake()
  await repeated
  expect(runs).toBe(4)
  expect(task.failures).toEqual([new Error('the database is away at run 2')])
})

test('a run that succeeded is not', async () => {
  let runs = 0
  const task = new Task(async () => {
    runs += 1
  })
  onTestFinished(() => task.stop())
  task.start()
  await sleep(50)
  expect(runs).toBe(1)
})
