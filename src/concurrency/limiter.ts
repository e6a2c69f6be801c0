import { ServiceError, tooBusy } from '../errors.ts'

export interface LimiterOptions {
  /** Tasks that run at the same time. */
  readonly maxConcurrent: number
  /** How long a task waits in the queue before it is refused. */
  readonly queueTimeoutMs: number
  /** Tasks that may wait; more are refused at once. */
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

/** For whom a task is done. Without a requester it is the service's own work. */
export interface Requester {
  /** Requesters with the same tenant share one fair share. */
  readonly tenant: string
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal
}

/**
 * A tenant may have at most so many times what is still free, both of the running tasks and of the
 * queue: one tenant alone gets most of it, and a newcomer always finds some. (The factor α of dynamic
 * thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.)
 */
const thresholdFactor = 3

interface Tenant {
  running: number
  readonly queue: Set<() => void>
}

/**
 * A bulkhead: lets a bounded number of tasks run, queues some, and refuses those that would wait for
 * too long, since a queue without bounds turns an overload into a standstill. It is fair to tenants:
 * queues are served round robin, and each tenant's own queue in order of arrival.
 */
export class Limiter {
  readonly #options: LimiterOptions
  /** Those with a task, the least recently served first. The service's own has no name. */
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

  /** @throws 503 when the queue is full or takes too long, `cancelled` when nobody waits any more */
  async run<T>(task: () => Promise<T>, requester?: Requester): Promise<T> {
    const name = requester?.tenant
    const tenant = this.#tenants.get(name) ?? { running: 0, queue: new Set() }
    this.#tenants.set(name, tenant)
    try {
      if (tenant.queue.size === 0 && this.#mayStart(name, tenant)) this.#countStart(tenant)
      else await this.#enqueue(name, tenant, requester?.signal)
    } catch (error) {
      this.#removeIfIdle(name, tenant)
      throw error
    }
    try {
      return await task()
    } finally {
      tenant.running -= 1
      this.#running -= 1
      this.#removeIfIdle(name, tenant)
      this.#startQueued()
    }
  }

  #mayStart(name: string | undefined, { running }: Tenant): boolean {
    const free = this.#options.maxConcurrent - this.#running
    if (free <= 0) return false
    // The last free one is for a tenant with nothing running.
    return name === undefined || running === 0 || running < thresholdFactor * (free - 1)
  }

  #mayQueue(name: string | undefined, { queue }: Tenant): boolean {
    const free = this.#options.maxQueue - this.#queued
    return free > 0 && (name === undefined || queue.size < thresholdFactor * free)
  }

  #countStart(tenant: Tenant): void {
    tenant.running += 1
    this.#running += 1
  }

  /** Resolves when the task may run, and has been counted as running. */
  #enqueue(name: string | undefined, tenant: Tenant, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled())
    if (!this.#mayQueue(name, tenant)) return Promise.reject(this.#busy())
    this.#waits += 1
    this.#queued += 1
    const since = performance.now()
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
        tenant.queue.delete(start)
        this.#queued -= 1
        this.#waitedMs += performance.now() - since
      }
      const start = () => {
        leave()
        this.#countStart(tenant)
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
      signal?.addEventListener('abort', cancel)
      tenant.queue.add(start)
    })
  }

  /** Serves the queues round robin, as long as tasks may start. */
  #startQueued(): void {
    for (const [name, tenant] of this.#tenants) {
      if (this.#running >= this.#options.maxConcurrent) return
      const [start] = tenant.queue
      if (start === undefined || !this.#mayStart(name, tenant)) continue
      // To the end of the round, where this loop comes to it again.
      this.#tenants.delete(name)
      this.#tenants.set(name, tenant)
      start()
    }
  }

  #removeIfIdle(name: string | undefined, tenant: Tenant): void {
    if (tenant.running === 0 && tenant.queue.size === 0) this.#tenants.delete(name)
  }

  #busy(): ServiceError {
    this.#refused += 1
    return tooBusy()
  }
}

/** Nobody reads the answer; the log tells this end from other failures. */
export const cancelled = () =>
  new ServiceError('cancelled', 'The client closed the connection before it was answered')
