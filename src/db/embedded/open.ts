import { existsSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { LRUCache } from 'lru-cache'
import { StartupError } from '../../errors.ts'
import type { Database, Pool, Read } from '../database.ts'
import { rootMessage } from '../errors.ts'
import { diskFull, isForRoom } from './disk-full.ts'
import { Engine } from './engine.ts'
import { copyFiles, createFiles, filesIn, keepPrivate, removeCopy } from './files.ts'
import { lockFolder } from './folder-lock.ts'
import { embeddedSnapshots } from './snapshot.ts'
import { dontOptimize, lacksMemoryToOptimize } from './unoptimized.ts'
import type { Durability } from './worker-client.ts'

type Note = (note: string) => void

interface Options {
  /** Full by default. */
  readonly durability?: Durability
  /** How long one statement may take. The engine cannot cancel it, so its worker is replaced. */
  readonly deadlineMs?: number
  /** How long one statement may evaluate a filter, after which it ends by itself. */
  readonly filterMs?: number
  /** Reports what makes files less safe. */
  readonly warn?: Note
  /** Reports what a start takes its time for. */
  readonly inform?: Note
}

const usualDeadlineMs = 120_000
/**
 * Others wait meanwhile. Counting what an ordinary filter keeps of 200,000 documents takes 0.4 s.
 */
const usualFilterMs = 3_000
const maintenanceEveryMs = 5 * 60_000
/** How many answers of one read are remembered. */
const maxKept = 1_000

/**
 * PostgreSQL compiled to WebAssembly, in a worker thread, with its files below `dataDir`
 * (undefined: in memory, for tests). It has one connection, so statements and transactions run one
 * after another. It survives a killed process, and a power cut unless its durability is relaxed.
 * @throws StartupError if the folder cannot be used or another process uses it
 */
export async function openEmbedded(
  dataDir: string | undefined,
  {
    deadlineMs = usualDeadlineMs,
    filterMs = usualFilterMs,
    warn = () => {},
    inform = () => {},
    durability = 'full',
  }: Options = {},
): Promise<Database> {
  const files = dataDir === undefined ? undefined : filesIn(dataDir)
  const unlock = dataDir === undefined ? async () => {} : await prepareFolder(dataDir, warn, inform)
  if (lacksMemoryToOptimize()) {
    inform('The embedded database runs slower, without optimized code, to take less memory')
    dontOptimize()
  }
  const engine = new Engine({ dataDir: files, durability }, deadlineMs, filterMs)
  try {
    await engine.start()
  } catch (cause) {
    if (await engine.close()) await unlock()
    throw (await isForRoom(cause, dataDir)) ? diskFull(dataDir, cause) : notOpened(dataDir, cause)
  }
  const timer = setInterval(() => void engine.maintain(), maintenanceEveryMs)
  timer.unref()
  return {
    ...databaseOf(engine),
    copyFiles: files === undefined ? undefined : () => copyFiles(engine, files),
    close: async () => {
      clearInterval(timer)
      // If the engine has not ended, the lock stays until this process has, and is then taken over.
      if (await engine.close()) await unlock()
    },
  }
}

/**
 * Claims the folder for this process, and creates the database's files if there are none.
 * @returns a function that gives the folder back
 */
async function prepareFolder(dataDir: string, warn: Note, inform: Note) {
  const unlock = await lockFolder(dataDir)
  const files = filesIn(dataDir)
  try {
    await keepPrivate(dataDir, files, warn)
    if (!existsSync(files)) inform(`Creating the embedded database in ${dataDir}`)
    await removeCopy(files).catch(() => {})
    await createFiles(files)
  } catch (error) {
    await unlock()
    throw error
  }
  return unlock
}

function databaseOf(engine: Engine): Omit<Database, 'copyFiles' | 'close'> {
  const db = drizzle((text, params, method) => engine.query(text, params, method))
  const pool: Pool = {
    db,
    transaction: (work) => engine.transaction(work),
  }
  return {
    engine: 'embedded',
    isDistributed: false,
    history: () => 0,
    remembering: (read) => rememberReads(() => engine.generation, read),
    short: pool,
    search: pool,
    bulk: pool,
    maintenance: { ...pool, session: (work) => work(db) },
    snapshot: embeddedSnapshots(engine, db, () => engine.requester),
    requester: () => engine.requester,
    onBehalfOf: (requester, work) => engine.onBehalfOf(requester, work),
    load: () => ({ embedded: engine.load }),
  }
}

const notOpened = (dataDir: string | undefined, cause: unknown) =>
  new StartupError(
    `the embedded database in ${dataDir} did not open: ${rootMessage(cause)}; restore the folder from a backup or choose another with SERVICE_DATADIR`,
    { cause },
  )

/**
 * Remembers the answers of a read until something is written. All writes go through the one engine.
 * @param generation changes before and after everything that may write
 */
function rememberReads<Values extends object, Answer>(
  generation: () => number,
  read: Read<Values, Answer>,
): Read<Values, Answer> {
  const kept = new LRUCache<string, { readonly generation: number; readonly answer: Answer }>({
    max: maxKept,
  })
  return async (values) => {
    const key = JSON.stringify(values)
    const began = generation()
    const known = kept.get(key)
    if (known?.generation === began) return known.answer
    const answer = await read(values)
    // What was written meanwhile may have come before or after the read.
    if (generation() === began) kept.set(key, { generation: began, answer })
    return answer
  }
}
