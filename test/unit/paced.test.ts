import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { paced } from '../../src/exports/paced.ts'

const mebibyte = 'x'.repeat(2 ** 20)

describe('parts that are made as they are taken', () => {
  it('come in order, one of them ahead', async () => {
    const made: string[] = []
    const parts = paced(async (put) => {
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

  it('fail with what makes them, behind what was made', async () => {
    const parts = paced(async (put) => {
      await put('a')
      throw new Error('lost')
    })
    expect((await parts.next()).value).toBe('a')
    await expect(parts.next()).rejects.toThrow('lost')
  })

  it('end for what makes them when nobody takes them any more', async () => {
    let failure: unknown
    const parts = paced(async (put) => {
      for (;;) {
        await put('a').catch((error) => {
          failure = error
          throw error
        })
      }
    })
    await parts.next()
    await parts.return(undefined)
    expect(failure).toMatchObject({ kind: 'cancelled' })
  })

  it('are broken off for who stops taking them, not for who is slow', async () => {
    let ended = false
    const make = async (put: (part: string) => Promise<void>) => {
      try {
        for (let part = 0; part < 4; part += 1) await put(mebibyte)
      } finally {
        ended = true
      }
    }
    // A second is a millisecond here: 16 of them are earned with each part, and 30 are there at first.
    const slow = paced(make, 10)
    for await (const _ of slow) await sleep(100)
    expect(ended).toBe(true)
    ended = false
    const stopped = paced(make, 1)
    await stopped.next()
    await expect.poll(() => ended).toBe(true)
    await expect(stopped.next()).rejects.toMatchObject({ kind: 'timed-out' })
  })
})
