import { realpath } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { isSame, type Moved, moveRows, refuseFilled, settle } from '../db/move.ts'
import { refuseServers } from '../db/postgres/other-servers.ts'
import { prepareDatabase } from '../db/prepare.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../log.ts'
import { hasKey } from '../secrets/key-check.ts'
import { reseal } from '../secrets/rotation.ts'
import { openStore, requireFiles, type Store } from './startup.ts'

interface Move {
  readonly source: Config
  /** The destination, with its encryption key. */
  readonly target: Config
  readonly log: Log
  /** Reports how many embeddings have been copied. */
  show(done: number, total: number): void
  /** Reports other steps in words. */
  say(line: string): void
}

/**
 * Copies all stored data into an empty database, in one transaction, and seals the secrets there
 * with the target's key. Nobody can write to the source meanwhile.
 * @throws StartupError
 */
export async function moveStore(move: Move): Promise<Moved> {
  const { source, log } = move
  if (source.database === 'embedded') requireFiles(source)
  await refuseSameFolder(move)
  const from = await openStore(source, log, async (database) => {
    await refuseRunning(database)
    if (await hasKey(database.short.db)) return
    throw new StartupError(
      'there is nothing to move: no server has used that database; check where it is moved from',
    )
  })
  try {
    const into = await openTarget(move, from)
    try {
      return await moveInto(move, from, into)
    } finally {
      await into.database.close()
    }
  } finally {
    await from.database.close()
  }
}

async function moveInto({ show, say }: Move, from: Store, into: Store): Promise<Moved> {
  let moved: Moved | undefined
  // Both take the lock of the start-up, so that no server starts meanwhile.
  await prepareDatabase(from.database, async (reading) => {
    await prepareDatabase(into.database, async (writing) => {
      moved = await moveRows(reading, writing, into.database.engine, show)
      await reseal(writing.db, { oldKey: from.sealer, newKey: into.sealer, progress: say })
    })
  })
  if (moved === undefined) throw new Error('nothing was moved')
  await settle(into.database.engine, into.database.maintenance)
  return moved
}

async function openTarget({ target, log }: Move, from: Store): Promise<Store> {
  const check = async (database: Store['database']): Promise<void> => {
    if (await isSame(from.database, database)) throw new StartupError(theSame)
    await refuseRunning(database)
    if (database.isDistributed) {
      throw new StartupError(
        'embeddings are distributed there; move into a plain database, and distribute that',
      )
    }
    await refuseFilled(database.short.db)
  }
  try {
    // No server starts here, so the administrator's key is not used.
    return await openStore({ ...target, adminKey: from.adminKey }, log, check)
  } catch (error) {
    if (error instanceof StartupError) throw new StartupError(`--to: ${error.message}`)
    throw error
  }
}

const refuseRunning = async ({ engine, short: { db } }: Store['database']) =>
  engine === 'embedded' ? undefined : refuseServers(db)

const theSame = 'this is the source itself; name a new database, or a new folder'

async function refuseSameFolder({ source, target }: Move): Promise<void> {
  if (source.database !== 'embedded' || target.database !== 'embedded') return
  const there = await realpath(target.dataDir).catch(() => undefined)
  if (there === (await realpath(source.dataDir))) throw new StartupError(`--to: ${theSame}`)
}
