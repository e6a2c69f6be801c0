import { eq, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Db } from '../../database.ts'
import type { Change, Proposer, Ranked, RankStatement, Wanted, Wish } from '../../proposer.ts'
import { collections, embeddings } from '../../schema.ts'
import type { Engine } from '../engine.ts'

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
 * Has the engine's thread keep vectors of the collections that are searched: read when they are first
 * searched for, told of each change after its commit, and dropped when others need the room. It holds no
 * more than the database does: what it lacks is searched there, and what it proposes is looked up there.
 */
export class VectorMemory implements Proposer {
  readonly #engine: Engine
  readonly #db: Db
  readonly #limits: MemoryLimits
  readonly #entries = new Map<number, Entry>()
  #retryAt = 0

  constructor(engine: Engine, db: Db, limits: MemoryLimits) {
    this.#engine = engine
    this.#db = db
    this.#limits = limits
  }

  async rank(wanted: Wanted, wish: Wish, rank: RankStatement): Promise<Ranked | undefined> {
    const { collectionId, revision } = wanted
    if (wanted.vectors * wanted.dimensions < this.#limits.fewestComponents) return undefined
    const entry = this.#entries.get(collectionId) ?? this.#load(wanted)
    if (entry === undefined || !entry.isReady) return undefined
    entry.usedAt = performance.now()
    entry.bytes = bytesOf(wanted)
    if (!this.#makeRoom(0)) return undefined
    const { rows, ranked } = await this.#engine.ask({ rank, wish, collectionId, revision })
    if (ranked === 'gone') this.#drop(collectionId, entry)
    this.#noteBehind(collectionId, entry, ranked === 'behind')
    return typeof ranked === 'object' ? { rows, ...ranked } : undefined
  }

  changed(change: Change): void {
    if (this.#entries.has(change.collectionId)) this.#engine.tell({ do: 'change', ...change })
  }

  /** After a commit whose answer was lost nobody has told of the change. */
  #noteBehind(collectionId: number, entry: Entry, isBehind: boolean): void {
    if (!isBehind) entry.behindSince = undefined
    else {
      entry.behindSince ??= performance.now()
      if (performance.now() - entry.behindSince > behindForMs) this.#drop(collectionId, entry)
    }
  }

  #load(wanted: Wanted): Entry | undefined {
    const bytes = bytesOf(wanted)
    if (performance.now() < this.#retryAt || !this.#makeRoom(bytes)) return undefined
    const entry = { bytes, isReady: false, usedAt: performance.now(), behindSince: undefined }
    this.#entries.set(wanted.collectionId, entry)
    this.#read(wanted, entry).catch(() => {
      this.#retryAt = performance.now() + retryAfterMs
      this.#drop(wanted.collectionId, entry)
    })
    return entry
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
    let after = ''
    for (;;) {
      const copy = copyOf(collectionId, dimensions, after)
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
    const byUse = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    let used = byUse.reduce((sum, [, entry]) => sum + entry.bytes, 0)
    for (const [collectionId, entry] of byUse) {
      if (used + bytes <= this.#limits.maxBytes) break
      this.#drop(collectionId, entry)
      used -= entry.bytes
    }
    return used + bytes <= this.#limits.maxBytes
  }

  #drop(collectionId: number, entry: Entry): void {
    if (this.#entries.get(collectionId) !== entry) return
    this.#entries.delete(collectionId)
    this.#engine.tell({ do: 'drop', collectionId })
  }
}

const dialect = new PgDialect()
const literal = (text: string) => sql.raw(`'${text.replaceAll("'", "''")}'`)

/** COPY takes no parameters. */
function copyOf(collectionId: number, dimensions: number, after: string): string {
  const { sql: text } = dialect.sqlToQuery(sql`copy (
    select ${embeddings.textId}, ${embeddings.vector} from ${embeddings}
    where ${embeddings.collectionId} = ${sql.raw(`${collectionId}`)}
      and ${embeddings.vectorDim} = ${sql.raw(`${dimensions}`)}
      and ${embeddings.textId} > ${literal(after)}
    order by ${embeddings.textId} limit ${sql.raw(`${rowsAtOnce}`)}
  ) to '/dev/blob' (format binary)`)
  return text
}
