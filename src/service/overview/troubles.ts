import type { RequestWitness, SlowRequest } from '../../http/observe.ts'

/** Of the slowest requests. */
const maxSlow = 50
/** Kinds of refusals: routes are some hundred, with some statuses each; methods may be anything. */
const maxKinds = 300

interface Kind {
  readonly status: number
  readonly method: string
  readonly route: string
  count: number
  lastAt: Date
  /** What the last client was told. */
  detail: string | undefined
}

/** What was slow or refused since this server has started: in memory, and never more than so much. */
export class Troubles implements RequestWitness {
  readonly since = new Date()
  readonly slowMs: number
  #slowCount = 0
  #slow: (SlowRequest & { readonly at: Date })[] = []
  #refusedCount = 0
  readonly #kinds = new Map<string, Kind>()

  constructor(slowMs: number) {
    this.slowMs = slowMs
  }

  slow(request: SlowRequest): void {
    this.#slowCount += 1
    const known = [...this.#slow, { ...request, at: new Date() }]
    this.#slow = known.sort((a, b) => b.ms - a.ms).slice(0, maxSlow)
  }

  refused({ method, route, status, detail }: Parameters<RequestWitness['refused']>[0]): void {
    this.#refusedCount += 1
    const name = `${status} ${method} ${route}`
    const known = this.#kinds.get(name)
    if (known === undefined && this.#kinds.size >= maxKinds) return
    const count = (known?.count ?? 0) + 1
    this.#kinds.set(name, { status, method, route, count, lastAt: new Date(), detail })
  }

  /** The slowest first. */
  get slowest() {
    return { count: this.#slowCount, requests: this.#slow }
  }

  /** The most frequent first. */
  get refusals() {
    const kinds = [...this.#kinds.values()].sort((a, b) => b.count - a.count)
    return { count: this.#refusedCount, kinds }
  }
}
