import { ServiceError, unavailable } from '../errors.ts'

export interface LimiterOptions {
  /** Tasks that run at the same time. */
  readonly maxConcurrent: number
  /** How long a task waits in the queue before it is refused. */
  readonly queueTimeoutMs: number
  /** Tasks that may wait; more are refused at once. */
  readonly maxQueue: number
}

/** How busy it is now, and what has been waited for since the start. */
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

/** For whom a task is done. Without a requester it is the service's own work. */
export interface Requester {
  /** Those of one tenant share what one is due. */
  readonly tenant: string
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal
}

/**
 * A tenant may have so many times what is left free, of places as of the queue: one alone gets most
 * of it, and a newcomer always finds some. (Dynamic thresholds: Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking 6(2), 1998.)
 */
const shareOfFree = 3

interface Tenant {
  running: number
  readonly queue: Set<() => void>
}

/**
 * Lets a bounded number of tasks run, and refuses those that would wait for too long: a queue without
 * bounds turns an overload into a standstill. Tenants take turns; the tasks of one run in the order
 * of their arrival.
 */
export class Limiter {
  readonly #options: LimiterOptions
  /** Those with a task, the one that was served longest ago first. The service's own is undefined. */
  readonly #tenants = new Map<string | undefined, Tenant>()
  #running = 0
  #queued = 0
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

  /** @throws 503 when the task's turn does not come in time, or `cancelled` when nobody waits for it */
  async run<T>(task: () => Promise<T>, requester?: Requester): Promise<T> {
    const name = requester?.tenant
    const tenant = this.#tenants.get(name) ?? { running: 0, queue: new Set() }
    this.#tenants.set(name, tenant)
    try {
      if (tenant.queue.size === 0 && this.#mayRun(name, tenant)) this.#begin(tenant)
      else await this.#turn(name, tenant, requester?.signal)
    } catch (error) {
      this.#forget(name, tenant)
      throw error
    }
    try {
      return await task()
    } finally {
      tenant.running -= 1
      this.#running -= 1
      this.#forget(name, tenant)
      this.#startNext()
    }
  }

  #mayRun(name: string | undefined, { running }: Tenant): boolean {
    const free = this.#options.maxConcurrent - this.#running
    // The last free place is for whoever has none.
    return free > 0 && (name === undefined || running === 0 || running < shareOfFree * (free - 1))
  }

  #mayWait(name: string | undefined, { queue }: Tenant): boolean {
    const free = this.#options.maxQueue - this.#queued
    return free > 0 && (name === undefined || queue.size < shareOfFree * free)
  }

  #begin(tenant: Tenant): void {
    tenant.running += 1
    this.#running += 1
  }

  #turn(name: string | undefined, tenant: Tenant, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled())
    if (!this.#mayWait(name, tenant)) return Promise.reject(this.#busy())
    this.#waits += 1
    this.#queued += 1
    const since = performance.now()
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', give)
        tenant.queue.delete(start)
        this.#queued -= 1
        this.#waitedMs += performance.now() - since
      }
      const start = () => {
        leave()
        this.#begin(tenant)
        resolve()
      }
      const give = () => {
        leave()
        reject(cancelled())
      }
      const timer = setTimeout(() => {
        leave()
        reject(this.#busy())
      }, this.#options.queueTimeoutMs)
      signal?.addEventListener('abort', give)
      tenant.queue.add(start)
    })
  }

  /** Starts what has waited longest of each tenant in turn, while there are places for it. */
  #startNext(): void {
    for (const [name, tenant] of this.#tenants) {
      if (this.#running >= this.#options.maxConcurrent) return
      const [start] = tenant.queue
      if (start === undefined || !this.#mayRun(name, tenant)) continue
      // To the end of the round, which also lets this loop meet it again.
      this.#tenants.delete(name)
      this.#tenants.set(name, tenant)
      start()
    }
  }

  #forget(name: string | undefined, tenant: Tenant): void {
    if (tenant.running === 0 && tenant.queue.size === 0) this.#tenants.delete(name)
  }

  #busy(): ServiceError {
    this.#refused += 1
    return unavailable('The service is busy; try again in a moment')
  }
}

/** Nobody reads the answer; it says so for the log. */
export const cancelled = () =>
  new ServiceError('cancelled', 'The client closed the connection before it was answered')
