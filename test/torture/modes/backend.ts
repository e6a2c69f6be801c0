import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, killIfThere } from '../cluster.ts'
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

/** @returns when the database answered again */
async function killed(cluster: Cluster, pid: number): Promise<number> {
  const canary = cluster.connect('postgres')
  await canary`select 1`
  const down = canary`select pg_sleep(20)`.then(
    () => Promise.reject(new Error('PostgreSQL has not restarted')),
    () => {},
  )
  await sleep(1)
  killIfThere(pid)
  await down
  await canary.end({ timeout: 0 })
  await cluster.ready()
  return performance.now()
}

async function terminated(cluster: Cluster, pids: readonly number[]): Promise<number> {
  await cluster.query(`select ${pids.map((pid) => `pg_terminate_backend(${pid})`).join()}`)
  return performance.now()
}
