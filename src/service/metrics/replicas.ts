import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database, ReplicaState } from '../../db/database.ts'

const counters = {
  semblance_replica_reads_total: [
    'Statements and snapshots that were read from a replica.',
    'reads',
  ],
  semblance_replica_behind_total: [
    'What was read from the primary instead, since the replica had not replayed what was looked up.',
    'behind',
  ],
  semblance_replica_failed_total: [
    'What was read from the primary instead, since the replica had failed.',
    'failed',
  ],
} as const satisfies Record<string, readonly [help: string, figure: keyof ReplicaState]>

/** Which replicas are read from, and how much. */
export function watchReplicas(database: Database, registers: Registry[]): void {
  if (database.replicas().length === 0) return
  new Gauge({
    name: 'semblance_replica_in_use',
    help: '1 for a replica that is read from, 0 for one that is left out.',
    labelNames: ['replica'],
    // Of several processes: 0 as soon as one of them leaves it out.
    aggregator: 'min',
    registers,
    collect() {
      for (const { address, leftOut } of database.replicas()) {
        this.set({ replica: address }, leftOut === undefined ? 1 : 0)
      }
    },
  })
  for (const [name, [help, figure]] of Object.entries(counters)) {
    new Counter({
      name,
      help,
      labelNames: ['replica'],
      registers,
      collect() {
        this.reset()
        for (const state of database.replicas()) this.inc({ replica: state.address }, state[figure])
      },
    })
  }
}

/** For the public: how many are left out, without their addresses. */
export function replicaNotes(database: Database): readonly string[] {
  const replicas = database.replicas()
  const leftOut = replicas.filter((replica) => replica.leftOut !== undefined)
  if (leftOut.length === 0) return []
  return [`${leftOut.length} of ${replicas.length} read replicas are left out; the log says why`]
}
