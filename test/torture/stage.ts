import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { randomNumbers } from '../shared/random-numbers.ts'
import type { Runtime } from '../support/servers/program.ts'
import { node } from '../support/servers/program.ts'
import type { Cluster } from './cluster.ts'
import type { Clusters } from './clusters.ts'
import type { CrowdPlan } from './plan.ts'
import { onPostgres, Service, type Settings } from './service.ts'
import type { Tally } from './tally.ts'
import { createWorld, type World } from './world.ts'

/** What a mode is given. */
export interface Context {
  readonly rounds: number
  readonly minutes: number
  readonly crowd: CrowdPlan
  readonly thorough: boolean
  readonly bodiesSeconds: number
  /** `bodies` tries those with this in their names. */
  readonly bodiesNamed: string
  /** `power` lets a file system do all that POSIX lets it do. */
  readonly posix: boolean
  readonly seed: number
  /** For logs and data. */
  readonly folder: string
  /** Of a mode, to be shown in the table. */
  newTally(mode: string): Tally
  readonly clusters: Clusters
}

export type Mode = (context: Context) => Promise<void>

/** A server and what is counted of it. */
export interface Stage {
  readonly tally: Tally
  readonly random: () => number
  readonly service: Service
}

/** One on a database of its own in our PostgreSQL. */
export interface PostgresStage extends Stage {
  readonly cluster: Cluster
  readonly database: string
}

export interface StageOptions {
  readonly runtime?: Runtime
  /** Where the server finds PostgreSQL, when it is not to go there straight. */
  readonly port?: number
  /** Instead of the PostgreSQL of all modes, and a new database of it. */
  readonly cluster?: Cluster
  readonly database?: string
  /** With the service as it is before its first start. */
  readonly beforeStart?: (service: Service) => Promise<void>
  /** Besides those that every server gets. */
  readonly settings?: Settings
}

/** Lets `use` have a started server, and stops it. */
export async function withStage(
  context: Context,
  mode: string,
  use: (stage: PostgresStage) => Promise<void>,
  options: StageOptions = {},
): Promise<void> {
  const { runtime = node, port, settings: further = {}, beforeStart } = options
  const cluster = options.cluster ?? (await context.clusters.shared())
  const database = options.database ?? (await cluster.newDatabase())
  const settings = { ...onPostgres(port ?? cluster.port, database), ...further }
  const withDatabase = (stage: Stage) => use({ ...stage, cluster, database })
  await withServer(context, mode, runtime, settings, withDatabase, beforeStart)
}

/** The same with users and projects for the workers. */
export const withWorld = (
  context: Context,
  mode: string,
  use: (stage: PostgresStage & { readonly world: World }) => Promise<void>,
  options: StageOptions = {},
): Promise<void> =>
  withStage(
    context,
    mode,
    async (stage) => use({ ...stage, world: await createWorld(stage.service.url, stage.tally) }),
    options,
  )

/** The same with the embedded database. */
export const withEmbedded = (
  context: Context,
  mode: string,
  runtime: Runtime,
  use: (stage: Stage) => Promise<void>,
  settings: Settings = {},
): Promise<void> =>
  withServer(context, mode, runtime, { SERVICE_DATABASE: 'embedded', ...settings }, use)

async function withServer(
  context: Context,
  mode: string,
  runtime: Runtime,
  settings: Readonly<Record<string, string>>,
  use: (stage: Stage) => Promise<void>,
  beforeStart: (service: Service) => Promise<void> = async () => {},
): Promise<void> {
  const tally = context.newTally(mode)
  const folder = join(context.folder, mode.replaceAll(' ', '-'))
  mkdirSync(folder)
  const service = await Service.create(runtime, folder, settings, join(folder, 'server.log'))
  service.onCrash = (output) => tally.violate('other violations', `the server ${output}`)
  try {
    await beforeStart(service)
    await service.start()
    await use({ tally, random: randomNumbers(context.seed), service })
  } finally {
    await service.kill()
    tally.keep(folder)
  }
}
