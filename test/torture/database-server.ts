import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

/** What a PostgreSQL on 127.0.0.1 is asked, by its superuser. */
export class DatabaseServer {
  readonly port: number
  #databases = 0

  constructor(port: number) {
    this.port = port
  }

  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const sql = this.connect(database)
    try {
      return [...(await sql.unsafe(text))]
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  connect(database: string) {
    return postgres({
      host: '127.0.0.1',
      port: this.port,
      user: 'postgres',
      database,
      max: 1,
      connect_timeout: 5,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'torture' },
    })
  }

  async newDatabase(): Promise<string> {
    this.#databases += 1
    const name = `torture_${this.#databases}`
    await this.query(`create database ${name}`)
    return name
  }

  /** The process numbers of the backends that serve a database's semblance. */
  async backends(database: string): Promise<number[]> {
    const rows = await this.query(
      `select pid from pg_stat_activity where application_name = 'semblance' and datname = '${database}'`,
    )
    return rows.map(({ pid }) => Number(pid))
  }

  /** Waits until no statement or transaction of semblance runs any more in a database. */
  async quiet(database: string, condition = `state <> 'idle'`): Promise<void> {
    const busy = `select 1 from pg_stat_activity where application_name = 'semblance'
      and datname = '${database}' and query !~* 'create index|advisory' and ${condition}`
    for (const deadline = Date.now() + 60_000; ; await sleep(10)) {
      if ((await this.query(busy)).length === 0) return
      if (Date.now() > deadline) throw new Error(`transactions are still open in ${database}`)
    }
  }
}
