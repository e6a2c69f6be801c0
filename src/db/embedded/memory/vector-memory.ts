import { Worker } from 'node:worker_threads'
import { workerScript } from '../../../concurrency/worker-script.ts'
import type { Change, Proposals, Proposer, Sought, Wanted } from '../../proposer.ts'
import type { Reply, Request, ThreadOptions } from './messages.ts'

/** Rows that are read at once: other statements wait meanwhile. */
const rowsAtOnce = 1_000
/** How long a change that was committed may stay unknown before everything is read anew. */
const behindForMs = 2_000
const retryAfterMs = 10_000

export interface MemoryLimits {
  /** Of all vectors that are kept. */
  readonly maxBytes: number
  /** Components (vectors × dimensions) of a collection below which the database searches as fast. */
  readonly fewestComponents: number
  /** Components up to which all vectors of a collection are compared. */
  readonly exactBudget: number
}

/** Reads committed rows of the embedded engine. */
export interface RowReader {
  /** @returns undefined when there is no such collection */
  revisionOf(collectionId: number): Promise<number | undefined>
  /** (text_id, vector) in the binary format of COPY, in the order of text_ids, from the one after `after` on. */
  rowsAfter(from: Wanted, after: string, count: number): Promise<Uint8Array<ArrayBuffer>>
}

interface Entry {
  bytes: number
  isReady: boolean
  usedAt: number
  /** Since when the thread has lacked a change. */
  behindSince: number | undefined
}

/** Two bytes a component, a quarter for the shortlist, and what belongs to each vector. */
const bytesOf = ({ vectors, dimensions }: Wanted) => vectors * (2.5 * dimensions + 200)

/**
 * Keeps vectors of the collections that are searched in memory: read when they are first searched for, told
 * of each change after its commit, and dropped when others need the room. It holds no more than the
 * database does: what it lacks is searched there, and what it proposes is looked up there.
 */
export class VectorMemory implements Proposer {
  readonly #reader: RowReader
  readonly #limits: MemoryLimits
  readonly #entries = new Map<number, Entry>()
  readonly #pending = new Map<number, (reply: Reply | undefined) => void>()
  #worker: Worker | undefined
  #lastId = 0
  #retryAt = 0
  #closed = false

  constructor(reader: RowReader, limits: MemoryLimits) {
    this.#reader = reader
    this.#limits = limits
  }

  async propose(
    wanted: Wanted,
    sought: Sought,
    count: number,
    exact: boolean,
  ): Promise<Proposals | undefined> {
    const { collectionId, revision } = wanted
    if (wanted.vectors * wanted.dimensions < this.#limits.fewestComponents) return undefined
    const entry = this.#entries.get(collectionId) ?? this.#load(wanted)
    if (entry === undefined || !entry.isReady) return undefined
    entry.usedAt = performance.now()
    entry.bytes = bytesOf(wanted)
    if (!this.#makeRoom(0)) return undefined
    const wish = { collectionId, revision, sought, count, exact }
    const reply = await this.#ask((id) => ({ do: 'propose', id, ...wish }))
    if (reply === undefined || !('proposals' in reply)) return undefined
    const { proposals } = reply
    this.#noteBehind(collectionId, entry, proposals === 'behind')
    return typeof proposals === 'string' ? undefined : proposals
  }

  changed(change: Change): void {
    if (this.#entries.has(change.collectionId)) this.#post({ do: 'change', ...change })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#worker?.terminate()
  }

  /** After a commit whose answer was lost nobody has told of the change. */
  #noteBehind(collectionId: number, entry: Entry, isBehind: boolean): void {
    if (!isBehind) entry.behindSince = undefined
    else {
      entry.behindSince ??= performance.now()
      if (performance.now() - entry.behindSince > behindForMs) this.#drop(collectionId)
    }
  }

  #load(wanted: Wanted): Entry | undefined {
    const bytes = bytesOf(wanted)
    if (performance.now() < this.#retryAt || !this.#makeRoom(bytes)) return undefined
    const entry = { bytes, isReady: false, usedAt: performance.now(), behindSince: undefined }
    this.#entries.set(wanted.collectionId, entry)
    this.#read(wanted, entry).catch(() => {
      this.#retryAt = performance.now() + retryAfterMs
      if (this.#isCurrent(wanted, entry)) this.#drop(wanted.collectionId)
    })
    return entry
  }

  async #read(wanted: Wanted, entry: Entry): Promise<void> {
    const { collectionId, dimensions } = wanted
    const revision = await this.#reader.revisionOf(collectionId)
    if (revision === undefined) throw new Error('the collection is gone')
    if (!this.#isCurrent(wanted, entry)) return
    this.#post({ do: 'begin', collectionId, dimensions, revision })
    let after = ''
    for (;;) {
      const rows = await this.#reader.rowsAfter(wanted, after, rowsAtOnce)
      if (!this.#isCurrent(wanted, entry)) return
      const reply = await this.#ask((id) => ({ do: 'rows', id, collectionId, rows }), [rows.buffer])
      if (reply === undefined || !('last' in reply)) throw new Error('the thread has ended')
      if (reply.count < rowsAtOnce) break
      after = reply.last
    }
    this.#post({ do: 'complete', collectionId })
    entry.isReady = true
  }

  /** Whether it has not been dropped, and perhaps begun anew, meanwhile. */
  #isCurrent({ collectionId }: Wanted, entry: Entry): boolean {
    return this.#entries.get(collectionId) === entry
  }

  /** Drops what was not searched for the longest time. */
  #makeRoom(bytes: number): boolean {
    const byUse = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let used = byUse.reduce((sum, [, entry]) => sum + entry.bytes, 0)
    for (const [collectionId, entry] of byUse) {
      if (used + bytes <= this.#limits.maxBytes) break
      this.#drop(collectionId)
      used -= entry.bytes
    }
    return used + bytes <= this.#limits.maxBytes
  }

  #drop(collectionId: number): void {
    if (this.#entries.delete(collectionId)) this.#post({ do: 'drop', collectionId })
  }

  #ask(request: (id: number) => Request, transfer: ArrayBuffer[] = []): Promise<Reply | undefined> {
    if (this.#closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#lastId += 1
      this.#pending.set(this.#lastId, resolve)
      this.#post(request(this.#lastId), transfer)
    })
  }

  #post(request: Request, transfer: ArrayBuffer[] = []): void {
    if (this.#closed) return
    this.#worker ??= this.#start()
    this.#worker.postMessage(request, transfer)
  }

  #start(): Worker {
    const options: ThreadOptions = { exactBudget: this.#limits.exactBudget }
    const worker = new Worker(workerScript(import.meta.url, './thread.ts'), { workerData: options })
    worker.unref()
    worker.on('message', (reply: Reply) => {
      this.#pending.get(reply.id)?.(reply)
      this.#pending.delete(reply.id)
    })
    // Whatever it ended of, the database answers instead.
    worker.on('error', () => {})
    worker.on('exit', () => this.#forget(worker))
    return worker
  }

  #forget(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#retryAt = Math.max(this.#retryAt, performance.now() + retryAfterMs)
    this.#entries.clear()
    for (const resolve of this.#pending.values()) resolve(undefined)
    this.#pending.clear()
  }
}
