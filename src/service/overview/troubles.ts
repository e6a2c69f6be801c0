import type { RequestWitness, SlowRequest } from '../../http/observe.ts'

/** Of the slowest requests. */
const maxSlow = 50
/** Kinds of refusals: routes are some hundred, with some statuses each; methods may be anything. */
const maxKinds = 300

interface Kind {
  readonly status: number
  readonly method: string
  readonly route: string
  readonly count: number
  readonly lastAt: string
  /** What the last client was told. */
  readonly detail: string | undefined
}

/** What this process has seen; times in ISO 8601. */
export interface Seen {
  readonly since: string
  readonly slow: {
    readonly count: number
    /** The slowest first. */
    readonly requests: readonly (SlowRequest & { readonly at: string })[]
  }
  readonly refusals: {
    readonly count: number
    /** The most frequent first. */
    readonly kinds: readonly Kind[]
  }
}

/** What was slow or refused since this process has started: in memory, and never more than so much. */
export class Troubles implements RequestWitness {
  readonly slowMs: number
  readonly #since = now()
  #slow: Seen['slow'] = { count: 0, requests: [] }
  #refusedCount = 0
  /** The one that was seen last at the end. */
  readonly #kinds = new Map<string, Kind>()

  constructor(slowMs: number) {
    this.slowMs = slowMs
  }

  slow(request: SlowRequest): void {
    const { count, requests } = this.#slow
    const known = [...requests, { ...request, at: now() }]
    this.#slow = { count: count + 1, requests: slowest(known) }
  }

  refused({ method, route, status, detail }: Parameters<RequestWitness['refused']>[0]): void {
    this.#refusedCount += 1
    const name = nameOf({ status, method, route })
    const count = (this.#kinds.get(name)?.count ?? 0) + 1
    this.#kinds.delete(name)
    if (this.#kinds.size >= maxKinds) this.#kinds.delete(rarest(this.#kinds))
    this.#kinds.set(name, { status, method, route, count, lastAt: now(), detail })
  }

  get seen(): Seen {
    const kinds = mostFrequent([...this.#kinds.values()])
    return {
      since: this.#since,
      slow: this.#slow,
      refusals: { count: this.#refusedCount, kinds },
    }
  }
}

const now = () => new Date().toISOString()
const nameOf = ({ status, method, route }: Pick<Kind, 'status' | 'method' | 'route'>) =>
  `${status} ${method} ${route}`
const slowest = (requests: Seen['slow']['requests']) =>
  requests.toSorted((a, b) => b.ms - a.ms).slice(0, maxSlow)
const mostFrequent = (kinds: readonly Kind[]) => kinds.toSorted((a, b) => b.count - a.count)

/** Of those that were seen as seldom, the one that was not seen for the longest time. */
function rarest(kinds: ReadonlyMap<string, Kind>): string {
  const [first = ['', { count: 0 }] as const, ...others] = kinds
  return others.reduce((least, kind) => (kind[1].count < least[1].count ? kind : least), first)[0]
}
