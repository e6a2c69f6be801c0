import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Limiter, type Requester } from '../../concurrency/limiter.ts'
import { endsWithin } from '../../concurrency/yielding.ts'
import { cancelled } from '../../errors.ts'

/** What a turn may take, so that others get theirs soon. */
const turnMs = 50
/** A step that takes longer, such as one that waits for the database, goes on after its turn. */
const longestStepMs = 250
/** Longer than anybody waits; those who do not wait any more leave the queue. */
const queueTimeoutMs = 60_000
const oneAtATime = { maxConcurrent: 1, queueTimeoutMs, maxQueue: 1_000 }

/** Reads for nobody in particular. */
const itself = { name: 'the service' }

/** A project that is read into memory step by step. */
export interface SteppedReading {
  /** About so many embeddings are still to be read. */
  readonly left: number
  /** Whether it was read before, and has made room for others since. */
  readonly isAgain: boolean
  /**
   * Reads a little, or goes on with that.
   * @returns false if nothing is left, or if it cannot go on; never rejects
   */
  step(): Promise<boolean>
}

interface Waiter {
  readonly reading: SteppedReading
  readonly isRead: () => boolean
  readonly requester: Requester
  /** Takes it out of the queue. */
  readonly leave: () => void
}

/** What searches wait for. */
export interface Awaited {
  readonly projects: number
  readonly embeddings: number
}

/**
 * Reads projects for those who wait for them, and stops when nobody does. Requesters take turns,
 * and of one requester's projects, the one with the least left is read first. What is read again
 * and again, because there is too little memory for all, gets half of the time.
 */
export class FairReading {
  readonly #turns = new Limiter(oneAtATime)
  readonly #againTurns = new Limiter(oneAtATime)
  readonly #waiters = new Set<Waiter>()
  /** Created outside of all requests: a step is not part of the one whose turn it is, as others wait for it too. */
  readonly #outside = AsyncResource.bind((step: () => Promise<boolean>) => step())

  /**
   * Takes turns until something has been read, or until it is too late.
   * @param until by `performance.now()`
   * @returns false if it is too late
   * @throws `cancelled` when the requester does not wait any more, 503 if too many wait
   */
  async waitFor(
    reading: SteppedReading,
    isRead: () => boolean,
    requester: Requester | undefined,
    until: number,
  ): Promise<boolean> {
    const left = new AbortController()
    const leave = () => left.abort()
    const gone = requester?.signal
    const whom = { ...(requester ?? itself), signal: left.signal }
    const waiter = { reading, isRead, requester: whom, leave }
    const timer = setTimeout(leave, until - performance.now()).unref()
    gone?.addEventListener('abort', leave)
    this.#waiters.add(waiter)
    try {
      while (!isRead()) {
        if (gone?.aborted) throw cancelled()
        if (left.signal.aborted) return false
        await this.#takeTurn(waiter)
      }
      return true
    } catch (error) {
      if (!left.signal.aborted || gone?.aborted) throw error
      return isRead()
    } finally {
      clearTimeout(timer)
      gone?.removeEventListener('abort', leave)
      this.#waiters.delete(waiter)
    }
  }

  isAwaited(reading: SteppedReading): boolean {
    return this.#all().has(reading)
  }

  /** What somebody waits for, besides one of them. */
  awaited(besides?: SteppedReading): Awaited {
    const all = [...this.#all()].filter((each) => each !== besides)
    return { projects: all.length, embeddings: all.reduce((sum, { left }) => sum + left, 0) }
  }

  #all(): Set<SteppedReading> {
    return new Set(Array.from(this.#waiters, ({ reading }) => reading))
  }

  async #takeTurn(waiter: Waiter): Promise<void> {
    const { reading, requester, isRead } = waiter
    const read = () =>
      this.#turns.run(async () => {
        const start = performance.now()
        if (!isRead()) await this.#readFor(waiter, start + turnMs)
        return performance.now() - start
      }, requester)
    if (!reading.isAgain) {
      await read()
      return
    }
    await this.#againTurns.run(async () => {
      await sleep(await read())
    }, requester)
  }

  /** The turn goes to the reading with the least left that the requester waits for. */
  async #readFor({ requester: { name }, reading: { isAgain } }: Waiter, until: number) {
    const readings = [...this.#waiters]
      .filter((each) => each.requester.name === name && each.reading.isAgain === isAgain)
      .filter(({ isRead }) => !isRead())
      .map(({ reading }) => reading)
    const least = readings.reduce((one, other) => (other.left < one.left ? other : one))
    let goesOn = true
    while (goesOn) {
      const step = this.#outside(() => least.step())
      const isSoon = await endsWithin(step, longestStepMs)
      goesOn = isSoon && (await step) && performance.now() < until
    }
    for (const each of this.#waiters) if (each.isRead()) each.leave()
  }
}
