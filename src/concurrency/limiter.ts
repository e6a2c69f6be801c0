import { setMaxListeners } from 'node:events'
import { cancelled, type ServiceError, tooBusy } from '../errors.ts'

export interface LimiterOptions {
  /** The most tasks that run at the same time. */
  readonly maxConcurrent: number
  /** How long a task waits in the queue before it is refused. */
  readonly queueTimeoutMs: number
  /** The most tasks that may wait; more are refused at once. */
  readonly maxQueue: number
}

/** How busy a limiter is now, and what it has counted since the start. */
export interface LimiterLoad {
  readonly maxConcurrent: number
  readonly running: number
  readonly queued: number
  /** Tasks that had to wait, and for how long in total. */
  readonly waits: number
  readonly waitedMs: number
  /** Tasks that were refused. */
  readonly refused: number
}

/** For whom a task is done. A task without a requester is the service's own work. */
export interface Requester {
  /** Requesters with the same name share one fair share. */
  readonly name: string
  /**
   * Whether the requester has no key. All keyless requesters together leave one place, and a part
   * of the queue, to the others.
   */
  readonly isKeyless?: boolean
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal
}

/**
 * A requester may have at most this many times what is still free, both of the running tasks and
 * of the queue. One requester alone gets most of it, and a newcomer always finds some. (The factor α
 * of dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.)
 */
const thresholdFactor = 3
/** The part of the queue for all keyless requesters: one for each owner of public projects. */
const keylessPart = 3 / 4

/**
 * Who would start if a task ended. `with-key` means a requester with a key when the task's own
 * requester has none; `others` means any other requester.
 */
export type WhoWaits = 'nobody' | 'others' | 'with-key'

/** The tasks of one requester. */
interface Tasks {
  readonly isKeyless: boolean
  running: number
  readonly queue: Set<() => void>
}

/**
 * A bulkhead: runs a bounded number of tasks, queues some, and refuses those that would wait for
 * too long, because an unbounded queue turns an overload into a standstill. It is fair to
 * requesters: those with a key and those without are served alternately, each kind round robin, and
 * each requester's own tasks in order of arrival.
 */
export class Limiter {
  readonly #options: LimiterOptions
  /** Those with a task, the least recently served first. The service itself has no name. */
  readonly #requesters = new Map<string | undefined, Tasks>()
  #running = 0
  #keylessRunning = 0
  #lastWasKeyless = false
  #queued = 0
  #keylessQueued = 0
  #waits = 0
  #waitedMs = 0
  #refused = 0

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  get load(): LimiterLoad {
    return {
      maxConcurrent: this.#options.maxConcurrent,
      running: this.#running,
      queued: this.#queued,
      waits: this.#waits,
      waitedMs: this.#waitedMs,
      refused: this.#refused,
    }
  }

  /** Says who waits for the place that a requester has. For one with a key, the keyless do not count. */
  whoWaitsFor(requester: Requester | undefined): WhoWaits {
    const isKeyless = requester?.isKeyless === true
    const ended = {
      running: this.#running - 1,
      keyless: this.#keylessRunning - (isKeyless ? 1 : 0),
    }
    let found: WhoWaits = 'nobody'
    for (const [name, tasks] of this.#requesters) {
      if (name === requester?.name || tasks.queue.size === 0) continue
      if (tasks.isKeyless && !isKeyless) continue
      if (!this.#mayStart(name, tasks, ended)) continue
      if (isKeyless && !tasks.isKeyless) return 'with-key'
      found = 'others'
    }
    return found
  }

  /** @throws 503 if the queue is full or takes too long, `cancelled` when nobody waits any more */
  async run<T>(task: () => Promise<T>, requester?: Requester): Promise<T> {
    const name = requester?.name
    const tasks = this.#requesters.get(name) ?? {
      isKeyless: requester?.isKeyless === true,
      running: 0,
      queue: new Set(),
    }
    this.#requesters.set(name, tasks)
    try {
      if (tasks.queue.size === 0 && this.#mayStart(name, tasks)) this.#count(tasks, 1)
      else await this.#enqueue(name, tasks, requester?.signal)
    } catch (error) {
      this.#removeIfIdle(name, tasks)
      throw error
    }
    try {
      return await task()
    } finally {
      this.#count(tasks, -1)
      this.#removeIfIdle(name, tasks)
      this.#startQueued()
    }
  }

  #mayStart(
    name: string | undefined,
    { running, isKeyless }: Tasks,
    now = { running: this.#running, keyless: this.#keylessRunning },
  ): boolean {
    const { maxConcurrent } = this.#options
    const forKeyless = maxConcurrent > 1 ? maxConcurrent - 1 : 1
    const free = Math.min(
      maxConcurrent - now.running,
      isKeyless ? forKeyless - now.keyless : maxConcurrent,
    )
    if (free <= 0) return false
    // The last free place is for a requester with nothing running.
    return name === undefined || running === 0 || running < thresholdFactor * (free - 1)
  }

  #mayQueue(name: string | undefined, { queue, isKeyless }: Tasks): boolean {
    const { maxQueue } = this.#options
    const free = Math.min(
      maxQueue - this.#queued,
      isKeyless ? keylessPart * maxQueue - this.#keylessQueued : maxQueue,
    )
    return free > 0 && (name === undefined || queue.size < thresholdFactor * free)
  }

  #count(tasks: Tasks, more: 1 | -1): void {
    tasks.running += more
    this.#running += more
    if (tasks.isKeyless) this.#keylessRunning += more
    if (more === 1) this.#lastWasKeyless = tasks.isKeyless
  }

  #countQueued({ isKeyless }: Tasks, more: 1 | -1): void {
    this.#queued += more
    if (isKeyless) this.#keylessQueued += more
  }

  /** Resolves when the task may run, and has been counted as running. */
  #enqueue(name: string | undefined, tasks: Tasks, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled())
    if (!this.#mayQueue(name, tasks)) return Promise.reject(this.#busy())
    this.#waits += 1
    this.#countQueued(tasks, 1)
    const since = performance.now()
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
        tasks.queue.delete(start)
        this.#countQueued(tasks, -1)
        this.#waitedMs += performance.now() - since
      }
      const start = () => {
        leave()
        this.#count(tasks, 1)
        resolve()
      }
      const cancel = () => {
        leave()
        reject(cancelled())
      }
      const timer = setTimeout(() => {
        leave()
        reject(this.#busy())
      }, this.#options.queueTimeoutMs)
      if (signal !== undefined) {
        // Any number of a request's tasks may wait; Node warns of the eleventh listener.
        setMaxListeners(0, signal)
        signal.addEventListener('abort', cancel)
      }
      tasks.queue.add(start)
    })
  }

  /** Serves the queues as long as tasks may start. */
  #startQueued(): void {
    while (this.#running < this.#options.maxConcurrent) {
      const next = this.#next()
      if (next === undefined) return
      const { name, tasks, start } = next
      // The requester goes to the end of the round.
      this.#requesters.delete(name)
      this.#requesters.set(name, tasks)
      start()
    }
  }

  /** Picks the first of the round. If both kinds wait, it picks the kind that was not served last. */
  #next() {
    let other: ReturnType<typeof candidateOf>
    for (const [name, tasks] of this.#requesters) {
      const found = this.#mayStart(name, tasks) ? candidateOf(name, tasks) : undefined
      if (found === undefined) continue
      if (tasks.isKeyless !== this.#lastWasKeyless) return found
      other ??= found
    }
    return other
  }

  #removeIfIdle(name: string | undefined, tasks: Tasks): void {
    if (tasks.running === 0 && tasks.queue.size === 0) this.#requesters.delete(name)
  }

  #busy(): ServiceError {
    this.#refused += 1
    return tooBusy()
  }
}

function candidateOf(name: string | undefined, tasks: Tasks) {
  const [start] = tasks.queue
  return start && { name, tasks, start }
}
