import type { Bench } from '../bench.ts'
import type { Job } from '../jobs.ts'
import type { CpuTimes } from '../processes.ts'
import type { Truth } from '../truth.ts'
import type { DataSet } from './data-set.ts'

export type Kind = 'embedded' | 'postgres' | 'chroma' | 'bare'

/** Something that holds a data set, and can be searched. */
export interface Peer {
  readonly name: string
  readonly kind: Kind
  /** Undefined for another search of what is stored already. */
  readonly filling: Filling | undefined
  /** Searches by the vectors of all queries in turn, ten results each. */
  job(filtered: boolean): Job
  /** @returns the indexes that were found for a query */
  find(query: number, filtered: boolean): Promise<readonly number[]>
  /** Milliseconds of CPU of all server processes so far; not known outside Linux. */
  cpu(): Promise<CpuTimes | undefined>
  /** Mebibytes of all server processes; undefined where it is not known. */
  memory(): number | undefined
}

/** What it took to store the vectors. */
export interface Filling {
  readonly perSecond: number
  /** From the last acknowledged upload until searches were as fast as they get. */
  readonly readySeconds: number
  /** Mebibytes that the processes held before the first upload. */
  readonly emptyMemory: number | undefined
}

export interface PeersBench extends Bench {
  readonly databaseServer: string | undefined
  readonly set: DataSet
  readonly truth: Truth
}

/** Starts servers, stores the data set, and lets `use` have what can be searched. */
export type Opener = (
  bench: PeersBench,
  use: (peers: readonly Peer[]) => Promise<void>,
) => Promise<void>
