import { once } from 'node:events'
import postgres from 'postgres'
import type { Client, CopyJob, SqlJob } from '../jobs.ts'
import { renewIds } from './fresh-ids.ts'

const deadlineMs = 120_000

const connect = (url: string) => postgres(url, { max: 1, onnotice: () => {} })

/** What the service does with the database, and nothing else: prepared, on a connection of its own. */
export const sqlClient = (job: SqlJob, seat: number): Client => connectedClient(job, seat).client

function connectedClient(job: SqlJob, seat: number) {
  const { source, query, parameters } = job
  const sql = connect(job.database)
  const prepared = (async () => {
    for (const statement of job.session) await sql.unsafe(statement)
  })()
  let turn = seat

  const read = async (values: readonly string[]): Promise<string[]> => {
    if (source === undefined) return [...values]
    const [row]: unknown[][] = await sql.unsafe(source, [...values], { prepare: true }).values()
    return [String(row?.[0]), ...values]
  }

  const client = async () => {
    await prepared
    const values = parameters[turn % parameters.length] ?? []
    turn += 1
    return sql.unsafe(query, await read(values), { prepare: true })
  }
  return { client, sql }
}

/** Runs the query once with each of the parameters. @returns the first columns */
export async function answersOf(job: SqlJob): Promise<string[][]> {
  const { client, sql } = connectedClient(job, 0)
  const answers: string[][] = []
  try {
    for (const _ of job.parameters) {
      answers.push((await client()).map((row) => String(Object.values(row)[0])))
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
  return answers
}

export function copyClient(job: CopyJob, seat: number): Client {
  const sql = connect(job.database)
  const body = Buffer.from(job.body)
  const renew = renewIds(body, seat)
  return async () => {
    renew()
    const stream = await sql.unsafe(job.statement).writable()
    stream.end(body)
    // A COPY that the server refuses never settles (postgres.js issue 1173): hence the deadline.
    await once(stream, 'finish', { signal: AbortSignal.timeout(deadlineMs) })
  }
}
