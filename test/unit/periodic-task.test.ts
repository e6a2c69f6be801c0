import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { PeriodicTask } from '../../src/concurrency/periodic-task.ts'

const never = 3_600_000

test('a run that failed is repeated, though nobody asks for it again, and reported once', async () => {
  const failures: unknown[] = []
  let runs = 0
  const times = { everyMs: never, soonMs: 1, retryMs: 1 }
  const done = new EventTarget()
  const task = new PeriodicTask(
    times,
    async () => {
      runs += 1
      if (runs === 2 || runs === 3) throw new Error(`the database is away at run ${runs}`)
      if (runs === 4) done.dispatchEvent(new Event('done'))
    },
    (error) => failures.push(error),
  )
  onTestFinished(() => task.stop())
  const repeated = once(done, 'done')
  task.start()
  task.wake()
  await repeated
  expect(runs).toBe(4)
  expect(failures).toEqual([new Error('the database is away at run 2')])
})

test('a run that succeeded is not', async () => {
  let runs = 0
  const task = new PeriodicTask(
    { everyMs: never, soonMs: 1, retryMs: 1 },
    async () => {
      runs += 1
    },
    () => {},
  )
  onTestFinished(() => task.stop())
  task.start()
  await sleep(50)
  expect(runs).toBe(1)
})
