import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { node } from '../../support/servers/program.ts'
import type { Cluster } from '../cluster.ts'
import { HttpClient, type Outcome } from '../http-client.ts'
import { adminKey, onPostgres, Service } from '../service.ts'
import type { Context, PostgresStage } from '../stage.ts'
import { settings } from './indexes.ts'

/** Each server has a user of its own in PostgreSQL, so that one can tell whose a statement is. */
export const users = ['torture_a', 'torture_b'] as const
const endOfStatementsMs = 30_000

export interface Member {
  readonly user: string
  readonly service: Service
  call(method: string, path: string, body?: object): Promise<Outcome>
}

export const settingsOf = (user: string) => ({ ...settings, SERVICE_DBUSER: user })

export async function createUsers(cluster: Cluster): Promise<void> {
  for (const user of users) {
    const known = await cluster.query(`select from pg_roles where rolname = '${user}'`)
    if (known.length === 0) await cluster.query(`create role ${user} superuser login`)
  }
}

/** Two servers on one database. */
export class Pair {
  readonly first: Member
  readonly second: Member
  readonly #cluster: Cluster
  kills = 0

  constructor(stage: PostgresStage, second: Service) {
    this.#cluster = stage.cluster
    const member = (user: string, service: Service): Member => {
      const client = new HttpClient(service.url, stage.tally)
      const call: Member['call'] = (method, path, body) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        return client.call(method, path, { key: adminKey, body: text })
      }
      return { user, service, call }
    }
    this.first = member(users[0], stage.service)
    this.second = member(users[1], second)
  }

  anyOf = (random: () => number) => (random() < 0.5 ? this.first : this.second)

  /** SIGKILL; what it has sent is still carried out, and has ended when this resolves. */
  async kill({ service, user }: Member): Promise<void> {
    this.kills += 1
    await service.kill()
    const left = `select from pg_stat_activity where usename = '${user}'`
    for (const deadline = Date.now() + endOfStatementsMs; ; await sleep(20)) {
      if ((await this.#cluster.query(left)).length === 0) return
      if (Date.now() > deadline) throw new Error(`statements of a killed server do not end`)
    }
  }

  /** Both begin anew: they know nothing but what is stored. */
  async restart(): Promise<void> {
    const members = [this.first, this.second]
    await Promise.all(members.map(({ service }) => service.terminate()))
    await Promise.all(members.map(({ service }) => service.start()))
  }
}

/** Starts the second server beside that of the stage. */
export async function withPair(
  context: Context,
  stage: PostgresStage,
  use: (pair: Pair) => Promise<void>,
): Promise<void> {
  const { cluster, database, tally } = stage
  const folder = join(context.folder, `${tally.mode}-b`)
  mkdirSync(folder)
  const env = { ...onPostgres(cluster.port, database), ...settingsOf(users[1]) }
  const second = await Service.create(node, folder, env, join(folder, 'server.log'))
  second.onCrash = (output) => tally.violate('other violations', `the second server ${output}`)
  try {
    await second.start()
    await use(new Pair(stage, second))
  } finally {
    await second.kill()
  }
}
