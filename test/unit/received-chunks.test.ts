import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { minBytesPerSecond, receivedChunks } from '../../src/http/body/received-chunks.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A body that is sent by hand, and what becomes of reading it. */
function sending(limit = Number.POSITIVE_INFINITY) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made
    },
  })
  const outcome = { received: 0, end: 'reading' }
  const read = async () => {
    for await (const chunk of receivedChunks(body.getReader(), limit))
      outcome.received += chunk.length
  }
  read().then(
    () => {
      outcome.end = 'complete'
    },
    (error) => {
      outcome.end = error.kind ?? error.message
    },
  )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    outcome,
    async send(bytes: number) {
      controller?.enqueue(new Uint8Array(bytes))
      await settle()
    },
    async wait(seconds: number) {
      await vi.advanceTimersByTimeAsync(seconds * 1_000)
      await settle()
    },
    async close() {
      controller?.close()
      await settle()
    },
    async fail() {
      controller?.error(new Error('hung up'))
      await settle()
    },
  }
}

describe('a body', () => {
  it('is given up after ten seconds of silence, at its start and after any part', async () => {
    for (const first of [0, 1, 60_000_000]) {
      const body = sending()
      if (first > 0) await body.send(first)
      await body.wait(9)
      expect(body.outcome.end).toBe('reading')
      await body.wait(1)
      expect(body.outcome).toEqual({ received: first, end: 'timed-out' })
    }
  })

  it('is given up when it comes byte by byte', async () => {
    const body = sending()
    for (let second = 0; second < 11; second += 1) {
      expect(body.outcome.end).toBe('reading')
      await body.send(10)
      await body.wait(1)
    }
    expect(body.outcome.end).toBe('timed-out')
  })

  it('may take as long as it likes at the least rate, with pauses', async () => {
    const body = sending()
    for (let round = 0; round < 100; round += 1) {
      await body.send(9 * minBytesPerSecond)
      await body.wait(9)
    }
    await body.close()
    expect(body.outcome).toEqual({ received: 900 * minBytesPerSecond, end: 'complete' })
  })

  it('is read away once it is too large, and nothing ticks any more', async () => {
    const body = sending(100)
    await body.send(101)
    expect(body.outcome).toEqual({ received: 0, end: 'too-large' })
    await body.send(1_000_000)
    expect(vi.getTimerCount()).toBe(0)
    await body.fail()
  })

  it('fails when the client hangs up', async () => {
    const body = sending()
    await body.send(5)
    await body.fail()
    expect(body.outcome).toEqual({ received: 5, end: 'hung up' })
    expect(vi.getTimerCount()).toBe(0)
  })
})
