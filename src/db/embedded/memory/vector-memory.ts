import { AsyncResource } from 'node:async_hooks'
import { eq, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../database.ts'
import type { Change, Proposer, Ranked, RankStatement, Wanted, Wish } from '../../proposer.ts'
import { collections, embeddings } from '../../schema.ts'
import type { Engine } from '../engine.ts'
import { MemoryNotes } from './memory-notes.ts'

/** Components and rows that are read at once: other statements wait meanwhile. */
const componentsAtOnce = 400_000
const mostRowsAtOnce = 1_000
/** Collections of which it is known that they could not be read. */
const mostFailed = 1_000
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

interface Entry {
  readonly dimensions: number
  bytes: number
  isReady: boolean
  usedAt: number
  /** Since when the thread has lacked a change. */
  behindSince: number | undefined
}

/** Two bytes a component, a bit for the codes, and what belongs to each vector. */
const bytesOf = ({ vectors, dimensions }: Wanted) => vectors * (2.125 * dimensions + 200)

/**
 * Has the engine's thread keep vectors of the collections that are searched: read when they are first
 * searched for, told of each change after its commit, and dropped when others need the room. It holds no
 * more than the database does: what it lacks is searched there, and what it proposes is looked up there.
 */
export class VectorMemory implements Proposer {
  readonly #engine: Engine
  readonly #db: Db
  readonly #limits: MemoryLimits
  readonly #entries = new Map<number, Entry>()
  /** When those that could not be read may be tried again. */
  readonly #retryAt = new LRUCache<number, number>({ max: mostFailed })
  readonly #notes: MemoryNotes
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
    this.#notes.noteSize(collectionId, bytesOf(wanted) > this.#limits.maxBytes)
    const entry = this.#entryFor(wanted)
    if (entry === undefined || !entry.isReady) return undefined
    entry.usedAt = performance.now()
    // What was deleted gives no memory back.
    entry.bytes = Math.max(entry.bytes, bytesOf(wanted))
    if (entry.bytes > this.#limits.maxBytes) return this.#drop(collectionId, entry)
    this.#makeRoom(0)
    const kept = { collectionId, dimensions: wanted.dimensions, revision }
    const { rows, ranked } = await this.#engine.ask({ rank, wish, kept })
    if (ranked === 'gone') this.#giveUp(collectionId, entry)
    this.#noteBehind(collectionId, entry, ranked === 'behind')
    return typeof ranked === 'object' ? { rows, ...ranked } : undefined
  }

  changed(change: Change): void {
    if (this.#entries.has(change.collectionId)) this.#engine.tell({ do: 'change', ...change })
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
    const bytes = bytesOf(wanted)
    const now = performance.now()
    if (now < (this.#retryAt.get(collectionId) ?? 0) || !this.#makeRoom(bytes)) return undefined
    const entry = { dimensions, bytes, isReady: false, usedAt: now, behindSince: undefined }
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

  async #read({ collectionId, dimensions }: Wanted, entry: Entry): Promise<void> {
    const [found] = await this.#db
      .select({ revision: collections.revision })
      .from(collections)
      .where(eq(collections.collectionId, collectionId))
    // It may have been dropped, and perhaps begun anew, meanwhile.
    const isCurrent = () => this.#entries.get(collectionId) === entry
    if (found === undefined || !isCurrent()) return this.#drop(collectionId, entry)
    const { revision } = found
    this.#engine.tell({ do: 'begin', collectionId, dimensions, revision })
    const rowsAtOnce = Math.ceil(Math.min(componentsAtOnce / dimensions, mostRowsAtOnce))
    let after = ''
    for (;;) {
      const copy = copyOf(collectionId, dimensions, after, rowsAtOnce)
      const { copied } = await this.#engine.ask({ copy, collectionId })
      if (!isCurrent()) return
      if (copied === undefined || copied.count < rowsAtOnce) break
      after = copied.last
    }
    this.#engine.tell({ do: 'complete', collectionId })
    entry.isReady = true
  }

  /** Drops what was not searched for the longest time. */
  #makeRoom(bytes: number): boolean {
    if (bytes > this.#limits.maxBytes) return false
    const byUse = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let used = byUse.reduce((sum, [, entry]) => sum + entry.bytes, 0)
    for (const [collectionId, entry] of byUse) {
      if (used + bytes <= this.#limits.maxBytes) break
      this.#drop(collectionId, entry)
      used -= entry.bytes
    }
    return used + bytes <= this.#limits.maxBytes
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
