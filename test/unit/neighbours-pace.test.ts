import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { whileRead } from '../../src/neighbours/pace.ts'
import type { Step } from '../../src/neighbours/steps.ts'

/** Some 40 KB, which earn half a second. */
const rows = Array.from({ length: 128 }, (_, row) => ({
  id: `${row}`,
  neighbours: Array.from({ length: 8 }, (_, other) => ({ id: `${other}`, similarity: 0.5 })),
}))

async function* endless(): AsyncGenerator<Step> {
  for (;;) yield { rows }
}

/** A second is so many milliseconds here. */
const tick = 10

/** Reads with a pause between two steps, until it is given up or has read enough. */
async function read(pauseMs: number, steps: number, areOthersWaiting: () => boolean) {
  let wasGivenUp = false
  const giveUp = () => {
    wasGivenUp = true
  }
  const read = whileRead(endless(), giveUp, areOthersWaiting, tick)
  let count = 0
  try {
    for await (const _ of read) {
      count += 1
      if (count === steps) break
      await sleep(pauseMs)
    }
  } catch (error) {
    expect(error).toMatchObject({ kind: 'unavailable' })
  }
  return { count, wasGivenUp }
}

describe('the pace of a reader of neighbours', () => {
  it('is enough where nothing has to wait for it', async () => {
    expect(await read(0, 500, () => true)).toEqual({ count: 500, wasGivenUp: false })
  })

  it('is too slow after the grace, though something is read now and then', async () => {
    const { count, wasGivenUp } = await read(8 * tick, 1_000, () => false)
    expect(wasGivenUp).toBe(true)
    expect(count).toBeLessThan(20)
  })

  it('is too slow sooner while others wait', async () => {
    const { count, wasGivenUp } = await read(8 * tick, 1_000, () => true)
    expect(wasGivenUp).toBe(true)
    expect(count).toBeLessThan(4)
  })

  it('ends what is behind it at once, not when it comes back', async () => {
    let givenUp = () => {}
    const gaveUp = new Promise<void>((resolve) => {
      givenUp = resolve
    })
    const steps = whileRead(endless(), givenUp, () => false, 1)
    await steps.next()
    await gaveUp
    await expect(steps.next()).rejects.toThrow('The answer was read too slowly')
  })
})
