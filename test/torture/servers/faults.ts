import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresStage } from '../stage.ts'
import type { Pair } from './pair.ts'

const longestAbsenceMs = 2_000
/** In which somebody begins to build, if there is anything to be built. */
const buildMs = 15_000
const pollMs = 5

/** One server dies, and is started again. */
export async function killOne(pair: Pair, random: () => number): Promise<void> {
  const member = pair.anyOf(random)
  await pair.kill(member)
  await sleep(random() * longestAbsenceMs)
  await member.service.start()
}

/**
 * One dies while it builds an index, and so does its connection: what it leaves behind is broken.
 */
export async function killBuilder(stage: PostgresStage, pair: Pair): Promise<void> {
  const { cluster, database } = stage
  const holder = cluster.connect(database)
  try {
    await holder.begin(async (tx) => {
      // A build waits for whoever may be writing; nobody else minds.
      await tx`lock table embeddings in row exclusive mode`
      for (const deadline = Date.now() + buildMs; Date.now() < deadline; await sleep(pollMs)) {
        const [builder] = await cluster.query(
          `select usename, pid from pg_stat_progress_create_index join pg_stat_activity using (pid)
            where pg_stat_activity.datname = '${database}' and phase like 'waiting%'`,
        )
        if (builder === undefined) continue
        await die(stage, pair, builder)
        return
      }
    })
  } finally {
    await holder.end({ timeout: 1 })
  }
}

async function die(
  { cluster }: PostgresStage,
  pair: Pair,
  { usename, pid }: Record<string, unknown>,
): Promise<void> {
  const found = [pair.first, pair.second].find(({ user }) => user === usename)
  if (found === undefined) throw new Error(`${usename} builds an index`)
  const killed = pair.kill(found)
  await cluster.query(`select pg_terminate_backend(${pid})`)
  await killed
  await found.service.start()
}
