import { killed, terminated } from '../backends.ts'
import type { Mode } from '../stage.ts'
import { faultRounds } from './database-faults.ts'

/** A backend of the server dies: by kill -9, after which PostgreSQL restarts all, or by request. */
export const backend: Mode = (context) =>
  faultRounds(context, 'backend', async ({ cluster, database, random }) => {
    const pids = await cluster.backends(database)
    const victim = pids[Math.floor(random() * pids.length)] ?? 0
    const dice = random()
    if (dice < 0.6) return killed(cluster, victim)
    return terminated(cluster, dice < 0.8 ? [victim] : pids)
  })
