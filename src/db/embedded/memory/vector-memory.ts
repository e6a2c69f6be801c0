import { AsyncResource } from 'node:async_hooks'
import { eq, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database.ts'
import type { Change, Proposer, Ranked, RankStatement, Wanted, Wish } from '../../proposer.ts'
import { collections, embeddings } from '../../schema.ts'
import type { Engine } from '../engine.ts'
import { Demand } from './demand.ts'
import { MemoryNotes } from './memory-notes.ts'
import { Sizes } from './size.ts'

/** Components and rows that are read at once: other statements wait meanwhile. */
const componentsAtOnce = 400_000
const mostRowsAtOnce = 1_000
/** Collections of which it is known that they could not be read. */
const mostFailed = 1_000
/** How long a change that was committed may stay unknown before everything is read anew. */
const behindForMs = 2_000
const retryAfterMs = 10_000
/** By how much more often one must have been searched than what it would take the room of. */
const mustExceed = 2

export interface MemoryLimits {
  /** Of all vectors that are kept. */
  readonly maxBytes: number
  /** Components (vectors × dimensions) of a collection below which the database searches as fast. */
  readonly fewestComponents: number
  /** Components up to which all vectors of a collection are compared. */
  readonly exactBudget: number
}

interface Entry {
  readonly dimensions: number
  bytes: number
  isReady: boolean
  /** Since when the thread has lacked a change. */
  behindSince: number | undefined
}

/**
 * Has the engine's thread keep vectors of the collections that are searched: read when they are first
 * searched for, told of each change after its commit, and dropped for others that are searched clearly more
 * often, so that those that do not fit in together never take turns. It holds no more than the database
 * does: what it lacks is searched there, and what it proposes is looked up there.
 */
export class VectorMemory implements Proposer {
  readonly #engine: Engine
  readonly #db: Db
  readonly #limits: MemoryLimits
  readonly #entries = new Map<number, Entry>()
  /** When those that could not be read may be tried again. */
  readonly #retryAt = new LRUCache<number, number>({ max: mostFailed })
  readonly #notes: MemoryNotes
  readonly #demand = new Demand()
  readonly #sizes = new Sizes()
  /** Not on behalf of the requester who happens to be the first: others wait for it as well. */
  readonly #forAll = AsyncResource.bind((work: () => void) => work())

  /** @param warn to be told what `notes` says, once */
  constructor(engine: Engine, db: Db, limits: MemoryLimits, warn: (note: string) => void) {
    this.#engine = engine
    this.#db = db
    this.#limits = limits
    this.#notes = new MemoryNotes(limits.maxBytes, warn)
  }

  notes(): readonly string[] {
    return this.#notes.all()
  }

  async rank(wanted: Wanted, wish: Wish, rank: RankStatement): Promise<Ranked | undefined> {
    const { collectionId, revision } = wanted
    if (!this.#notes.isSupported) return undefined
    if (wanted.vectors * wanted.dimensions < this.#limits.fewestComponents) return undefined
    this.#demand.note(collectionId)
    this.#notes.noteSize(collectionId, this.#sizes.bytesOf(wanted) > this.#limits.maxBytes)
    const entry = this.#entryFor(wanted)
    if (entry === undefined || !entry.isReady) return undefined
    if (!this.#hasRoomToGrow(wanted, entry)) return undefined
    const kept = { collectionId, dimensions: wanted.dimensions, revision }
    const { rows, ranked } = await this.#engine.ask({ rank, wish, kept })
    if (ranked === 'gone') this.#giveUp(collectionId, entry)
    this.#noteBehind(collectionId, entry, ranked === 'behind')
    return typeof ranked === 'object' ? { rows, ...ranked } : undefined
  }

  changed(change: Change): void {
    if (!this.#entries.has(change.collectionId)) return
    this.#sizes.changed(change)
    this.#engine.tell({ do: 'change', ...change })
  }

  forget(collectionId: number): void {
    const entry = this.#entries.get(collectionId)
    if (entry !== undefined) this.#drop(collectionId, entry)
  }

  /** After a commit whose answer was lost nobody has told of the change. */
  #noteBehind(collectionId: number, entry: Entry, isBehind: boolean): void {
    if (!isBehind) entry.behindSince = undefined
    else {
      entry.behindSince ??= performance.now()
      if (performance.now() - entry.behindSince > behindForMs) this.#drop(collectionId, entry)
    }
  }

  /** After its last vector of other dimensions was deleted a collection begins anew. */
  #entryFor(wanted: Wanted): Entry | undefined {
    const entry = this.#entries.get(wanted.collectionId)
    if (entry?.dimensions === wanted.dimensions) return entry
    if (entry !== undefined) this.#drop(wanted.collectionId, entry)
    return this.#load(wanted)
  }

  #load(wanted: Wanted): Entry | undefined {
    const { collectionId, dimensions } = wanted
    const bytes = this.#sizes.bytesOf(wanted)
    if (performance.now() < (this.#retryAt.get(collectionId) ?? 0)) return undefined
    if (bytes > this.#limits.maxBytes) return undefined
    const hasRoom = this.#makeRoom(bytes, this.#demand.of(collectionId) / mustExceed)
    this.#notes.noteRoom(collectionId, !hasRoom)
    if (!hasRoom) return undefined
    const entry = { dimensions, bytes, isReady: false, behindSince: undefined }
    this.#entries.set(collectionId, entry)
    this.#forAll(() => {
      this.#read(wanted, entry).catch(() => this.#giveUp(collectionId, entry))
    })
    return entry
  }

  #giveUp(collectionId: number, entry: Entry): void {
    this.#retryAt.set(collectionId, performance.now() + retryAfterMs)
    this.#drop(collectionId, entry)
  }

  async #read(wanted: Wanted, entry: Entry): Promise<void> {
    const { collectionId, dimensions } = wanted
    const [found] = await this.#db
      .select({ revision: collections.revision })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    // It may have been dropped, and perhaps begun anew, meanwhile.
    const isCurrent = () => this.#entries.get(collectionId) === entry
    if (found === undefined || !isCurrent()) return this.#drop(collectionId, entry)
    const { revision } = found
    this.#sizes.begin(collectionId)
    this.#engine.tell({ do: 'begin', collectionId, dimensions, revision })
    const rowsAtOnce = Math.ceil(Math.min(componentsAtOnce / dimensions, mostRowsAtOnce))
    let after = ''
    for (;;) {
      const copy = copyOf(collectionId, dimensions, after, rowsAtOnce)
      const { copied } = await this.#engine.ask({ copy, collectionId })
      if (!isCurrent()) return
      if (copied === undefined) break
      const vectors = Math.max(wanted.vectors, this.#sizes.read(collectionId, copied))
      if (!this.#hasRoomToGrow({ ...wanted, vectors }, entry)) return
      if (copied.count < rowsAtOnce) break
      after = copied.last
    }
    this.#engine.tell({ do: 'complete', collectionId })
    entry.isReady = true
  }

  /** Whether it is still kept, as large as it is by now. */
  #hasRoomToGrow(wanted: Wanted, entry: Entry): boolean {
    // What was deleted gives no memory back.
    entry.bytes = Math.max(entry.bytes, this.#sizes.bytesOf(wanted))
    if (entry.bytes > this.#limits.maxBytes) this.#drop(wanted.collectionId, entry)
    else this.#makeRoom(0, Number.POSITIVE_INFINITY)
    return this.#entries.get(wanted.collectionId) === entry
  }

  /**
   * Drops what is searched least, where all of that was searched less often than it may be.
   * @returns whether there is room for so many bytes; if not, nothing was dropped
   */
  #makeRoom(bytes: number, lessThan: number): boolean {
    const byDemand = [...this.#entries]
      .map(([id, entry]) => ({ id, entry, demand: this.#demand.of(id) }))
      .sort((a, b) => a.demand - b.demand)
    let free = byDemand.reduce((left, { entry }) => left - entry.bytes, this.#limits.maxBytes)
    let lost = 0
    const leaving = byDemand.filter(({ entry, demand }) => {
      if (free >= bytes) return false
      free += entry.bytes
      lost += demand
      return true
    })
    if (free < bytes || (leaving.length > 0 && lost >= lessThan)) return false
    for (const { id, entry } of leaving) this.#drop(id, entry)
    return true
  }

  #drop(collectionId: number, entry: Entry): undefined {
    if (this.#entries.get(collectionId) !== entry) return
    this.#entries.delete(collectionId)
    this.#engine.tell({ do: 'drop', collectionId })
  }
}

const dialect = new PgDialect()
const literal = (text: string) => sql.raw(`'${text.replaceAll("'", "''")}'`)

/** COPY takes no parameters. */
function copyOf(collectionId: number, dimensions: number, after: string, rows: number): string {
  const { sql: text } = dialect.sqlToQuery(sql`copy (
    select ${embeddings.textId}, ${embeddings.vector} from ${embeddings}
    where ${embeddings.collectionId} = ${sql.raw(`${collectionId}`)}
      and ${embeddings.vectorDim} = ${sql.raw(`${dimensions}`)}
      and ${embeddings.textId} > ${literal(after)}
    order by ${embeddings.textId} limit ${sql.raw(`${rows}`)}
  ) to '/dev/blob' (format binary)`)
  return text
}
