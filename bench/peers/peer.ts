import type { Bench } from '../bench.ts'
import type { Job } from '../jobs.ts'
import type { CpuTimes } from '../processes.ts'
import type { DataSet } from './data-set.ts'
import type { Ask } from './filter.ts'
import type { Questions } from './recall.ts'

export type Kind = 'embedded' | 'postgres' | 'chroma' | 'bare'

/** Something that holds a data set, and can be searched. */
export interface Peer {
  readonly name: string
  readonly kind: Kind
  /** Undefined for another search of what is stored already. */
  readonly filling: Filling | undefined
  /** Searches by the vectors of these queries in turn, ten results each. */
  job(queries: readonly number[], ask: Ask): Job
  find(query: number, ask: Ask): Promise<Found>
  /** Finds the effort that these searches need; undefined where the server looks after that itself. */
  readonly tune?: (questions: Questions, ask: Ask) => Promise<void>
  /** Milliseconds of CPU of all server processes so far; not known outside Linux. */
  cpu(): Promise<CpuTimes | undefined>
  /** Mebibytes of all server processes; undefined where it is not known. */
  memory(): number | undefined
}

export interface Found {
  /** Indexes. */
  readonly found: readonly number[]
  /** How, in the words of the server. */
  readonly strategy?: string | undefined
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
  /** All queries, with what they should find in other books. */
  readonly questions: Questions
}

/** Starts servers, stores the data set, and lets `use` have what can be searched. */
export type Opener = (
  bench: PeersBench,
  use: (peers: readonly Peer[]) => Promise<void>,
) => Promise<void>
