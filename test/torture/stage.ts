import { join } from 'node:path'
import { randomNumbers } from '../shared/random-numbers.ts'
import { node, type Runtime } from '../support/servers/program.ts'
import type { Cluster, Database } from './postgres.ts'
import { Service, type Settings } from './service.ts'
import type { Tally } from './tally.ts'
import { createWorld, type World } from './world.ts'

/** What a mode is given. */
export interface Context {
  readonly rounds: number
  readonly minutes: number
  readonly isShort: boolean
  /** `bodies` tries those with this in their names. */
  readonly bodiesNamed: string
  readonly seed: number
  /** For logs and data. */
  readonly folder: string
  /** Of a mode, to be shown in the table. */
  newTally(mode: string): Tally
  /** @param settings `name=value` of a PostgreSQL of one's own, instead of that which modes share */
  cluster(settings?: readonly string[]): Promise<Cluster>
}

export type Mode = (context: Context) => Promise<void>

/** A server with users and projects for the workers, and what is counted of it. */
export interface Stage {
  readonly tally: Tally
  readonly random: () => number
  readonly service: Service
  readonly world: World
  /** Undefined where it is the embedded one. */
  readonly database: Database | undefined
}

/** Small projects have search indexes too, so that their builds are interrupted. */
const indexed = { SERVICE_EXACTBUDGET: '20000', SERVICE_INDEXDELAY: '4' }
export const embedded: Settings = { SERVICE_DATABASE: 'embedded' }

/** @param port where the server finds PostgreSQL, when it is not to go there straight */
export const settingsFor = ({ cluster, name }: Database, port = cluster.port): Settings => ({
  ...indexed,
  SERVICE_DATABASE: 'postgres',
  SERVICE_DBHOST: '127.0.0.1',
  SERVICE_DBPORT: `${port}`,
  SERVICE_DBNAME: name,
})

interface ServiceOptions {
  readonly settings: Settings
  readonly runtime?: Runtime
  /** With the service as it is before its first start. */
  readonly beforeStart?: (service: Service) => Promise<void>
}

/** Lets `use` have a started server, and kills it in the end. */
export async function withService(
  context: Context,
  name: string,
  tally: Tally,
  { settings, runtime = node, beforeStart }: ServiceOptions,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  const folder = join(context.folder, name)
  const service = await Service.create(runtime, folder, settings)
  service.onCrash = (output) => tally.violate('other violations', `the server ${output}`)
  try {
    await beforeStart?.(service)
    await service.start()
    await use(service)
  } finally {
    await service.end('SIGKILL')
    tally.keep(folder)
  }
}

export interface StageOptions extends ServiceOptions {
  readonly database?: Database
  /** What is counted already. */
  readonly tally?: Tally
}

/** The same with a world. */
export async function withStage(
  context: Context,
  mode: string,
  options: StageOptions,
  use: (stage: Stage) => Promise<void>,
): Promise<void> {
  const { database, tally = context.newTally(mode) } = options
  await withService(context, mode, tally, options, async (service) => {
    const world = await createWorld(service, tally)
    await use({ tally, random: randomNumbers(context.seed), service, world, database })
  })
}

/** The same with a new database of the PostgreSQL of all modes. */
export async function withPostgres(
  context: Context,
  mode: string,
  use: (stage: Stage & { readonly database: Database }) => Promise<void>,
  { port, runtime }: { readonly port?: number; readonly runtime?: Runtime } = {},
): Promise<void> {
  const database = await (await context.cluster()).newDatabase()
  const options = { database, settings: settingsFor(database, port), ...(runtime && { runtime }) }
  await withStage(context, mode, options, (stage) => use({ ...stage, database }))
}
