import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MinimumRate, withBackpressure } from '../../src/concurrency/backpressure.ts'
import type { WhoWaits } from '../../src/concurrency/limiter.ts'

const mebibyte = 'x'.repeat(2 ** 20)
const sizeOf = ({ length }: string) => length
type Put = (part: string) => Promise<void>
const ofText = (produce: (put: Put) => Promise<void>, tickMs?: number) =>
  withBackpressure(produce, { sizeOf, tickMs })

/** Reads parts of half a second with pauses of eight, until it is given up or has read so many. */
async function readSlowly(most: number, pace: Partial<MinimumRate<string>>, pauseMs = 80) {
  const part = 'x'.repeat(32 * 1024)
  let wasGivenUp = false
  const endless = async (put: Put) => {
    try {
      for (;;) await put(part)
    } finally {
      wasGivenUp = true
    }
  }
  let count = 0
  const parts = withBackpressure(endless, { sizeOf, tickMs: 10, ...pace })
  try {
    while (count < most && !wasGivenUp) {
      await parts.next()
      count += 1
      await vi.advanceTimersByTimeAsync(pauseMs)
    }
    return { count, wasGivenUp }
  } finally {
    await parts.return(undefined).catch(() => {})
  }
}

const always = (who: WhoWaits) => ({ whoWaits: () => who })

describe('parts that are made as they are taken', () => {
  it('come in order, one of them ahead', async () => {
    const made: string[] = []
    const parts = ofText(async (put) => {
      for (const part of ['a', 'b', 'c', 'd']) {
        made.push(part)
        await put(part)
      }
    })
    expect((await parts.next()).value).toBe('a')
    await sleep(10)
    expect(made).toEqual(['a', 'b'])
    const rest: unknown[] = []
    for await (const part of parts) rest.push(part)
    expect(rest).toEqual(['b', 'c', 'd'])
  })

  it('are broken off for who stops taking them, not for who is slow', async () => {
    let ended = false
    const make = async (put: Put) => {
      try {
        for (let part = 0; part < 4; part += 1) await put(mebibyte)
      } finally {
        ended = true
      }
    }
    // A second is a millisecond here: 16 of them are earned with each part, and 30 are there at first.
    const slow = ofText(make, 10)
    for await (const _ of slow) await sleep(100)
    expect(ended).toBe(true)
    ended = false
    const stopped = ofText(make, 1)
    await stopped.next()
    await expect.poll(() => ended).toBe(true)
    await expect(stopped.next()).rejects.toMatchObject({ kind: 'timed-out' })
  })
})

describe('parts that nothing waits with', () => {
  it('are made whether they are taken or not; of more than are kept only the last comes too', async () => {
    let areMade = false
    const parts = withBackpressure(
      async (put: (part: number) => Promise<void>) => {
        await put(0)
        await sleep(1)
        for (let part = 1; part < 10; part += 1) await put(part)
        areMade = true
      },
      { maxKept: 3 },
    )
    expect((await parts.next()).value).toBe(0)
    await expect.poll(() => areMade).toBe(true)
    const rest: number[] = []
    for await (const part of parts) rest.push(part)
    expect(rest).toEqual([1, 2, 9])
  })
})

describe.each([
  ['one ahead', { sizeOf }],
  ['whether they are taken or not', { maxKept: 3 }],
])('parts that are made %s', (_, slowReader) => {
  it('come before what went wrong behind them', async () => {
    const parts = withBackpressure(async (put: Put) => {
      for (const part of ['a', 'b']) await put(part)
      throw new Error('lost')
    }, slowReader)
    expect([(await parts.next()).value, (await parts.next()).value]).toEqual(['a', 'b'])
    await expect(parts.next()).rejects.toThrow('lost')
  })

  it('end for what makes them when nobody takes them any more', async () => {
    let failure: unknown
    const parts = withBackpressure(async (put: Put) => {
      try {
        for (;;) await put('a')
      } catch (error) {
        failure = error
        throw error
      }
    }, slowReader)
    await parts.next()
    await parts.return(undefined)
    expect(failure).toMatchObject({ kind: 'cancelled' })
  })
})

describe('the place of a reader', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is kept by who is fast enough, whoever waits', async () => {
    expect(await readSlowly(500, always('others'), 1)).toEqual({ count: 500, wasGivenUp: false })
  })

  it('is lost by who reads something now and then, and sooner while others wait', async () => {
    const alone = await readSlowly(1_000, {})
    expect(alone.wasGivenUp).toBe(true)
    expect(alone.count).toBeLessThan(20)
    const contested = await readSlowly(1_000, always('others'))
    expect(contested.wasGivenUp).toBe(true)
    expect(contested.count).toBeLessThan(4)
  })

  /** At a pace that would do for ever. */
  const large = { sizeOf: () => 2 ** 30 }

  it('is lost at any pace by who has no key to who has one', async () => {
    expect(await readSlowly(1_000, { ...large, ...always('with-key') })).toMatchObject({
      wasGivenUp: true,
    })
  })

  it('is lost by who has no key also while it is computed what is read', async () => {
    let wasGivenUp = false
    const computed = async (put: Put) => {
      try {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 100))
          await put('a')
        }
      } finally {
        wasGivenUp = true
      }
    }
    const parts = withBackpressure(computed, { sizeOf, tickMs: 10, ...always('with-key') })
    const reading = (async () => {
      for await (const _ of parts);
    })()
    reading.catch(() => {})
    await vi.advanceTimersByTimeAsync(1_000)
    expect(wasGivenUp).toBe(true)
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is lost at any pace in the end by who can go on later', async () => {
    const pace = { ...large, ...always('others'), canGoOn: true }
    expect(await readSlowly(1_000, pace, 20)).toMatchObject({ wasGivenUp: true })
  })

  it('is kept at that pace by who could not', async () => {
    const pace = { ...large, ...always('others') }
    expect(await readSlowly(70, pace, 20)).toEqual({ count: 70, wasGivenUp: false })
  })
})
