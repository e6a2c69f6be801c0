import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../stage.ts'
import { faultRounds } from './database-faults.ts'

const longestOutageMs = 1_500

/** The whole PostgreSQL dies, is away for a while and starts again. */
export const postgres: Mode = (context) =>
  faultRounds(context, 'postgres', async ({ cluster, random }) => {
    await cluster.kill()
    // Now and then so long that a back-off that grows would show.
    await sleep(random() < 0.05 ? 8_000 : random() * longestOutageMs)
    await cluster.start()
    return performance.now()
  })
