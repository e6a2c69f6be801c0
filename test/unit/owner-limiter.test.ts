import { describe, expect, it } from 'vitest'
import { OwnerLimiter } from '../../src/metadata-schemes/owner-limiter.ts'

/** Tasks that note who runs at the same time. */
function observed(limiter: OwnerLimiter) {
  const running: number[] = []
  const together = new Set<string>()
  const run = (owner: number) =>
    limiter.run(owner, async () => {
      running.push(owner)
      together.add(running.toSorted().join())
      await new Promise(setImmediate)
      running.splice(running.indexOf(owner), 1)
    })
  return { run, together }
}

describe('tasks of owners', () => {
  it('run one at a time for each of them', async () => {
    const { run, together } = observed(new OwnerLimiter())
    await Promise.all([1, 1, 1, 2, 2].map(run))
    expect(together).toContain('1,2')
    expect(together).not.toContain('1,1')
    expect(together).not.toContain('2,2')
  })

  it('run one at a time for all who are slow', async () => {
    const limiter = new OwnerLimiter()
    const { run, together } = observed(limiter)
    limiter.markSlow(1)
    limiter.markSlow(2)
    await Promise.all([1, 2, 3, 1, 2, 3].map(run))
    expect(together).not.toContain('1,2')
    expect(together).toContain('1,3')
  })

  it('are refused when too many of one owner wait, and to nobody else', async () => {
    const limiter = new OwnerLimiter()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const accepted = Array.from({ length: 33 }, () => limiter.run(1, () => released))
    await expect(limiter.run(1, () => released)).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(limiter.run(2, async (slow) => slow)).resolves.toBe(false)
    release()
    await Promise.all(accepted)
  })

  it('run after one that failed', async () => {
    const limiter = new OwnerLimiter()
    const fail = () => Promise.reject(new Error('failed'))
    await expect(limiter.run(1, fail)).rejects.toThrow('failed')
    limiter.markSlow(1)
    await expect(limiter.run(1, fail)).rejects.toThrow('failed')
    await expect(limiter.run(1, async (slow) => slow)).resolves.toBe(true)
  })
})
