import { setTimeout as sleep } from 'node:timers/promises'
import { adminKey } from '../service.ts'

const patienceMs = 30_000
const pollMs = 100

const metrics = async (url: string) => {
  const headers = { authorization: `Bearer ${adminKey}` }
  return (await fetch(`${url}/metrics`, { headers })).text()
}

/** The values of a metric of replicas, one for each of them, of all processes together. */
const valuesOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^semblance_replica_${name}\\{.*\\} (\\S+)$`, 'gm'))].map(
    ([, value]) => Number(value),
  )

/** What was read from replicas so far, and what from the primary instead. */
export async function replicaFigures(url: string) {
  const text = await metrics(url)
  const sum = (name: string) => valuesOf(text, name).reduce((total, value) => total + value, 0)
  return { reads: sum('reads_total'), behind: sum('behind_total'), failed: sum('failed_total') }
}

/** Until every process reads from so many replicas. @returns whether that has come about */
export async function untilUsed(url: string, replicas: number): Promise<boolean> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(pollMs)) {
    const used = valuesOf(await metrics(url), 'in_use').filter((value) => value === 1)
    if (used.length === replicas) return true
  }
  return false
}
