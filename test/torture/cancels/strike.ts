import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient } from '../http-client.ts'
import { pools } from '../pools.ts'
import type { PostgresStage } from '../stage.ts'
import { ask, flawOf, type Question } from './questions.ts'

export type How = 'by request' | 'by time limit'

const listsAtOnce = 6
/** In which a server that has stopped reading has its connections full. */
const fillMs = 400
const pauseMs = 10
const longestHeadStartMs = 120
const attempts = 40
/** Lists are read among the searches. */
const limitMs = pools.search.statementMs

export interface Struck {
  /** Statements that ended with an error after their first rows. */
  readonly cancelled: number
  /** Lists that were answered with 503. */
  readonly refused: number
}

/**
 * Breaks statements off in the middle of their answers: lists are asked for on all connections, the
 * server stops reading until PostgreSQL can send no more, and there their time ends.
 * @throws when none can be caught there
 */
export async function strike(stage: PostgresStage, list: Question, how: How): Promise<Struck> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const struck = await tryToStrike(stage, list, how)
    if (struck.cancelled > 0) return struck
  }
  throw new Error('no list could be broken off in the middle of its answer')
}

async function tryToStrike(stage: PostgresStage, list: Question, how: How): Promise<Struck> {
  const { service, tally, random } = stage
  const clients = Array.from({ length: listsAtOnce }, () => {
    return new HttpClient(service.url, tally)
  })
  const asked = clients.map((client) => ask(client, list.path, list.request))
  await sleep(random() * longestHeadStartMs)
  service.pause()
  let cancelled = 0
  try {
    await sleep(fillMs)
    cancelled = await (how === 'by request' ? cancel(stage) : outlast(stage))
  } finally {
    service.resume()
  }
  const outcomes = await Promise.all(asked)
  for (const client of clients) client.close()
  for (const outcome of outcomes) {
    const flaw = flawOf(outcome, list)
    if (flaw === undefined || outcome.status === 503) continue
    tally.violate('wrong answers', `${list.path} itself (${flaw}): ${outcome.status}`)
  }
  return { cancelled, refused: outcomes.filter(({ status }) => status === 503).length }
}

const sending = (database: string) =>
  `from pg_stat_activity where application_name = 'semblance' and datname = '${database}'
    and wait_event = 'ClientWrite' and state = 'active'`

async function cancel({ cluster, database }: PostgresStage): Promise<number> {
  const rows = await cluster.query(`select pg_cancel_backend(pid) ${sending(database)}`)
  return rows.length
}

async function outlast({ cluster, database }: PostgresStage): Promise<number> {
  const count = async (condition: string) =>
    (await cluster.query(`select ${sending(database)} and ${condition}`)).length
  if ((await count('true')) === 0) return 0
  // The statement stays as it is until the server reads on: only then PostgreSQL ends it.
  const late = `query_start < now() - interval '${limitMs + 500} ms'`
  for (const deadline = Date.now() + 2 * limitMs; Date.now() < deadline; await sleep(pauseMs)) {
    const found = await count(late)
    if (found > 0) return found
  }
  return 0
}
