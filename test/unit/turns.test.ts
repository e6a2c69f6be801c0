import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/turns.ts'

const never = () => new Promise<never>(() => {})

describe('taking turns', () => {
  it('runs no more tasks at once than allowed, in the order of their arrival', async () => {
    const turns = new Turns({ atOnce: 2, patienceMs: 5_000, waiting: 100 })
    const order: number[] = []
    let running = 0
    let most = 0
    const task = (number: number) => async () => {
      order.push(number)
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
    }
    await Promise.all(Array.from({ length: 20 }, (_, number) => turns.run(task(number))))
    expect(most).toBe(2)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('refuses a task whose turn does not come, and keeps its place free for others', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 20, waiting: 100 })
    let release = () => {}
    const first = turns.run(() => new Promise<void>((resolve) => (release = resolve)))
    await expect(turns.run(never)).rejects.toMatchObject({ kind: 'unavailable' })
    release()
    await first
    await expect(turns.run(async () => 'done')).resolves.toBe('done')
  })

  it('refuses at once what would make the queue too long', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 60_000, waiting: 1 })
    void turns.run(never)
    void turns.run(never)
    await expect(turns.run(never)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('passes the turn on after a task that fails', async () => {
    const turns = new Turns({ atOnce: 1, patienceMs: 1_000, waiting: 10 })
    await expect(turns.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await expect(turns.run(async () => 'done')).resolves.toBe('done')
  })
})
