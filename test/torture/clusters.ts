import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { Cluster } from './cluster.ts'

/** The PostgreSQL servers of a run, each with a log of its own, and what becomes of them in the end. */
export class Clusters {
  readonly #binaries: Binaries | undefined
  readonly #folder: string
  readonly #started: Promise<Cluster>[] = []
  #shared: Promise<Cluster> | undefined

  constructor(binaries: Binaries | undefined, folder: string) {
    this.#binaries = binaries
    this.#folder = folder
  }

  get binaries(): Binaries {
    if (this.#binaries === undefined) throw new Error('this mode was not to use PostgreSQL')
    return this.#binaries
  }

  /** That of all modes which need no other; started when it is first asked for. */
  shared(): Promise<Cluster> {
    this.#shared ??= this.create('postgres')
    return this.#shared
  }

  /** @param settings `name=value`, besides those that every cluster has */
  create(name: string, settings: readonly string[] = []): Promise<Cluster> {
    return this.#keep(Cluster.create(this.binaries, this.#log(name), settings))
  }

  /** Ends all of them. @returns the folders that are kept for inspection */
  async end(isKept: boolean): Promise<string[]> {
    const started = await Promise.allSettled(this.#started)
    const there = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await Promise.all(there.map((cluster) => (isKept ? cluster.kill() : cluster.remove())))
    return isKept ? there.map(({ folder }) => folder) : []
  }

  #log = (name: string) => join(this.#folder, `${name}.log`)

  #keep(cluster: Promise<Cluster>): Promise<Cluster> {
    this.#started.push(cluster)
    return cluster
  }
}
