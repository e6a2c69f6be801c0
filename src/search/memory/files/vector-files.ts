import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { and, asc, desc, eq, inArray, lt, or, sql } from 'drizzle-orm'
import type { Database } from '../../../db/database.ts'
import { historyOf } from '../../../db/history.ts'
import { collections, vectorFiles } from '../../../db/schema.ts'
import type { Log } from '../../../log.ts'
import type { HeldProjects } from '../../held/held-projects.ts'
import type { CacheThread, FileWritten } from '../cache-thread.ts'
import type { HeldVectors } from '../held-vectors.ts'
import { type FileName, isUnfinished, nameIn, vectorFilePath } from './names.ts'

/** A file at least as old as this is not being written any more. */
const forgottenAfterMs = 10 * 60_000
/** Records of servers that may be gone, for which their files are no longer used. */
const forgottenDays = 30
/** A collection is written once it has not changed for this long. */
const restMs = 30_000
/** Writing a collection again and again may take at most this share of the time. */
const partOfWriting = 1 / 20

export interface FileLimits {
  readonly folder: string
  /** Components from which on a collection has a file: fewer are read from the database soon. */
  readonly fewestComponents: number
}

/**
 * Files with the vectors of collections, for the next start. A table has the hash of each: whatever
 * happened to the file or to the database since, a hash that is there names what the collection was
 * at its revision, and revisions after it belong to the same history.
 */
export class VectorFiles {
  readonly folder: string
  readonly #fewestComponents: number
  readonly #database: Pick<Database, 'search' | 'history'>
  readonly #maxBytes: number
  readonly #thread: CacheThread
  readonly #log: Pick<Log, 'warn'>
  #written = Promise.resolve()
  /** Operators are told once. */
  #isFailing = false

  /** @param maxBytes for all files together */
  constructor(
    database: Pick<Database, 'search' | 'history'>,
    { folder, fewestComponents }: FileLimits,
    maxBytes: number,
    thread: CacheThread,
    log: Pick<Log, 'warn'>,
  ) {
    this.#database = database
    this.folder = folder
    this.#fewestComponents = fewestComponents
    this.#maxBytes = maxBytes
    this.#thread = thread
    this.#log = log
  }

  /** The last file of a collection that the database knows, and whether its revision is the present one. */
  async find(collectionId: number) {
    const hashes = (await this.names()).flatMap((name) =>
      name.collectionId === collectionId ? name.hash : [],
    )
    if (hashes.length === 0) return undefined
    const [found] = await this.#database.search.db
      .select({
        collectionId: vectorFiles.collectionId,
        hash: vectorFiles.hash,
        revision: vectorFiles.revision,
        isCurrent: sql<boolean>`${vectorFiles.revision} = ${collections.revision}`,
      })
      .from(vectorFiles)
      .innerJoin(collections, eq(collections.collectionId, vectorFiles.collectionId))
      .where(and(eq(vectorFiles.collectionId, collectionId), inArray(vectorFiles.hash, hashes)))
      .orderBy(desc(vectorFiles.revision), asc(vectorFiles.hash))
      .limit(1)
    return found
  }

  /**
   * Writes files of large collections that have changed since and are at rest, after those that are
   * being written.
   * @param isLast whether the process ends: then all that have changed, the largest first
   */
  write(held: HeldProjects<HeldVectors>, isLast: boolean): Promise<void> {
    const written = this.#written.then(() => this.#writeDue(held, isLast))
    this.#written = written.catch(() => {})
    return written
  }

  async #writeDue(held: HeldProjects<HeldVectors>, isLast: boolean): Promise<void> {
    const due = held
      .all()
      .filter((each) => this.#isDue(each, isLast))
      .sort((a, b) => b.bytes - a.bytes)
    for (const each of due) {
      if (each.serverHistory !== this.#database.history() || !held.has(each)) continue
      const start = performance.now()
      const isWritten = await this.#writeOne(each, isLast).catch((error) => this.#failed(error))
      if (isWritten) {
        each.writtenAt = start
        this.#isFailing = false
      }
      each.writeAfter = performance.now() + (performance.now() - start) / partOfWriting
    }
  }

  /** The folder may not be there, or may not be written to. */
  #failed(cause: unknown): false {
    if (!this.#isFailing) this.#log.warn('writing files of vectors', { cause })
    this.#isFailing = true
    return false
  }

  #isDue(held: HeldVectors, isLast: boolean): boolean {
    if (!held.isReady || held.vectors * held.dimensions < this.#fewestComponents) return false
    if (held.changedAt <= held.writtenAt) return false
    const now = performance.now()
    return isLast || (now >= held.changedAt + restMs && now >= held.writeAfter)
  }

  /**
   * Lets the thread write a file, unless one of the present revision is there, or there is no room.
   * @param isLast whether lists that are missing are not waited for
   * @returns whether there is a file of the present revision
   */
  async #writeOne(
    { collectionId, bytes, history, serverHistory }: HeldVectors,
    isLast: boolean,
  ): Promise<boolean> {
    const { folder } = this
    // Another process may have written it.
    if ((await this.find(collectionId))?.isCurrent) return true
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (!(await this.#makeRoom(collectionId, bytes))) return false
    const written = await this.#thread.writeFile({ do: 'write file', collectionId, folder, isLast })
    if (written === undefined) return false
    const name = { collectionId, hash: written.hash }
    const isProved = await this.#prove(name, written, history).catch(() => false)
    // After a failover, the same revision may have other contents.
    const isSure = isProved && this.#database.history() === serverHistory
    if (isProved && !isSure) await this.#disprove(name)
    // Of files that several processes have just written, all of them keep the same.
    const kept = isSure ? await this.find(collectionId) : undefined
    const isOther = (other: FileName) =>
      other.collectionId === collectionId && other.hash !== kept?.hash
    await this.remove(kept === undefined ? [name] : (await this.names()).filter(isOther))
    return kept?.isCurrent === true
  }

  /**
   * Notes that the collection is at the revision of a file now. The same contents may be known: of
   * another server, or of before metadata were changed.
   * @returns whether it is; after a restore, the same revision may have other contents
   */
  async #prove(
    { collectionId, hash }: FileName,
    { revision }: FileWritten,
    history: string,
  ): Promise<boolean> {
    const { db } = this.#database.search
    const isAt = and(
      eq(collections.collectionId, collectionId),
      eq(collections.revision, revision),
      eq(historyOf(collections), history),
    )
    const noted = await db
      .insert(vectorFiles)
      .select(
        db
          .select({
            collectionId: collections.collectionId,
            hash: sql`${hash}`.as('hash'),
            revision: collections.revision,
            writtenAt: sql`clock_timestamp()`.as('written_at'),
          })
          .from(collections)
          .where(isAt),
      )
      .onConflictDoUpdate({
        target: [vectorFiles.collectionId, vectorFiles.hash],
        set: { revision: sql`excluded.revision`, writtenAt: sql`excluded.written_at` },
      })
      .returning({ hash: vectorFiles.hash })
    if (noted.length === 0) return false
    const age = sql`clock_timestamp() - make_interval(days => ${sql.raw(`${forgottenDays}`)})`
    await db
      .delete(vectorFiles)
      .where(
        and(
          eq(vectorFiles.collectionId, collectionId),
          or(lt(vectorFiles.revision, revision), lt(vectorFiles.writtenAt, age)),
        ),
      )
    return true
  }

  async #disprove({ collectionId, hash }: FileName): Promise<void> {
    await this.#database.search.db
      .delete(vectorFiles)
      .where(and(eq(vectorFiles.collectionId, collectionId), eq(vectorFiles.hash, hash)))
  }

  /** Removes files of collections that are not in use any more, and what was not finished. */
  async clean(unused: readonly FileName[]): Promise<void> {
    await this.remove(unused)
    for (const file of await filesIn(this.folder)) {
      if (isUnfinished(file) && (await ageOf(join(this.folder, file))) > forgottenAfterMs) {
        await rm(join(this.folder, file), { force: true })
      }
    }
  }

  async names(): Promise<FileName[]> {
    return (await filesIn(this.folder)).flatMap((file) => nameIn(file) ?? [])
  }

  /** Removes the oldest files of others until one of so many bytes fits. @returns whether it does */
  async #makeRoom(collectionId: number, bytes: number): Promise<boolean> {
    // As much again stays free for the database, which may be on the same disk.
    const { bavail, bsize } = await statfs(this.folder)
    if (bytes > this.#maxBytes || bavail * bsize < 2 * bytes) return false
    const others = await Promise.all(
      (await this.names())
        .filter((name) => name.collectionId !== collectionId)
        .map(async (name) => {
          const found = await stat(vectorFilePath(this.folder, name)).catch(() => undefined)
          return { name, size: found?.size ?? 0, at: found?.mtimeMs ?? 0 }
        }),
    )
    let free = others.reduce((left, { size }) => left - size, this.#maxBytes)
    for (const { name, size } of others.sort((a, b) => a.at - b.at)) {
      if (free >= bytes) break
      await this.remove([name])
      free += size
    }
    return true
  }

  async remove(names: readonly FileName[]): Promise<void> {
    for (const name of names) await rm(vectorFilePath(this.folder, name), { force: true })
  }
}

const filesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

const ageOf = async (path: string) =>
  Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now())
