import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { signalIfThere } from './processes.ts'

/** By kill -9, after which PostgreSQL restarts all. @returns when the database answered again */
export async function killed(cluster: Cluster, pid: number): Promise<number> {
  const canary = cluster.connect('postgres')
  await canary`select 1`
  const down = canary`select pg_sleep(20)`.then(
    () => Promise.reject(new Error('PostgreSQL has not restarted')),
    () => {},
  )
  await sleep(1)
  signalIfThere(pid, 'SIGKILL')
  await down
  await canary.end({ timeout: 0 })
  await cluster.ready()
  return performance.now()
}

/** By request. */
export async function terminated(cluster: Cluster, pids: readonly number[]): Promise<number> {
  if (pids.length > 0)
    await cluster.query(`select ${pids.map((pid) => `pg_terminate_backend(${pid})`).join()}`)
  return performance.now()
}
