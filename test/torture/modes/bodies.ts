import { setTimeout as sleep } from 'node:timers/promises'
import { markdown, type Row } from '../../shared/table.ts'
import { node } from '../../support/servers/program.ts'
import { allCases, type Case } from '../bodies/cases.ts'
import { send } from '../bodies/send.ts'
import { type Seen, Watch } from '../bodies/watch.ts'
import { HttpClient, succeeded } from '../http-client.ts'
import { adminKey } from '../service.ts'
import { type Mode, type Stage, withEmbedded } from '../stage.ts'
import type { Tally } from '../tally.ts'
import { createWorld } from '../world.ts'

const MiB = 2 ** 20
/** How many are sent at the same time. */
const atOnce = [1, 8]
/** For what a request leaves behind to be collected, and others to be let in. */
const restMs = 100
/** These catch what is blown up; whether it is good is for a reader of the table to say. */
const worstBoundMs = 1_000
const growthBound = { times: 4, besides: 150 }
/** Each chunk is an object for a while, and V8 takes its time to collect millions of them. */
const besidesOfChunks = 600

/** Odd bodies, as large as may be, to one operation after another, while somebody asks whether the server lives. */
export const bodies: Mode = async (context) =>
  withEmbedded(context, 'bodies', node, async (stage) => {
    const { tally, random, service } = stage
    await prepare(service.url, tally)
    const cases = allCases().filter(({ target, body }) =>
      `${target.name}: ${body}`.includes(context.bodiesNamed),
    )
    const chosen = shuffled(cases, random).slice(0, context.rounds)
    const until = performance.now() + 1_000 * context.bodiesSeconds
    const watch = new Watch(service.url, service.pid)
    await sleep(1_000)
    const alone = await watch.next()
    const rows: Row[] = []
    for (const one of chosen) {
      if (performance.now() > until) break
      for (const row of await trial(stage, watch, one)) show(row, rows.push(row) === 1)
    }
    await watch.end()
    const [last] = rows.toSorted((a, b) => Number(b['/livez ms']) - Number(a['/livez ms']))
    tally.remarks = {
      'of so many kinds': cases.length,
      '/livez ms at most': Number(last?.['/livez ms'] ?? Number.NaN),
      'with nothing else': alone.worst,
    }
  })

/** As soon as it is known: all of them take long. */
function show(row: Row, isFirst: boolean): void {
  const lines = markdown([{ ...row, body: String(row['body']).padEnd(60) }]).split('\n')
  process.stdout.write(`${(isFirst ? lines : lines.slice(2)).join('\n')}\n`)
}

/** A project that everybody may read. */
async function prepare(url: string, tally: Tally): Promise<void> {
  const { probed } = await createWorld(url, tally)
  const client = new HttpClient(url, tally)
  const request = { key: adminKey, body: JSON.stringify({ public_read: true }) }
  const outcome = await client.call('PATCH', probed.path('projects'), request)
  if (!succeeded(outcome)) throw new Error(`a project was not made public: ${outcome.status}`)
  client.close()
}

async function trial({ tally, service }: Stage, watch: Watch, one: Case): Promise<Row[]> {
  const { target, body, make } = one
  const sent = make()
  const rows: Row[] = []
  for (const count of atOnce) {
    await sleep(restMs)
    await watch.next()
    const began = performance.now()
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        send(service.url, target, 100 * tally.rounds + 10 * count + index, sent),
      ),
    )
    const took = performance.now() - began
    await sleep(restMs)
    const seen = await watch.next()
    const size = (count * sent.size) / MiB
    const inChunks = sent.headers.some((header) => header.startsWith('Transfer-Encoding'))
    const most = growthBound.times * size + (inChunks ? besidesOfChunks : growthBound.besides)
    judge(tally, `${body} to ${target.name}, ${count} at once`, answers, seen, most)
    rows.push({
      body,
      operation: target.name,
      'at once': count,
      MiB: sent.size / MiB,
      'sent KiB': sent.bytes.length / 1024,
      answers: countsOf(answers),
      ms: took,
      '/livez ms': seen.worst,
      'main thread ms': seen.busy,
      'memory MiB': seen.peak - seen.before,
      'of its size': (seen.peak - seen.before) / size,
    })
    tally.endRound()
  }
  return rows
}

function judge(tally: Tally, what: string, answers: string[], seen: Seen, most: number): void {
  for (const answer of answers) {
    tally.answered(answer)
    if (answer.startsWith('5') && answer !== '503')
      tally.violate('other violations', `${what}: ${answer}`)
  }
  // Else it was the machine that was busy.
  if (Math.min(seen.worst, seen.busy) > worstBoundMs) {
    tally.violate('other violations', `${what}: /livez took ${seen.worst.toFixed()} ms`)
  }
  const growth = seen.peak - seen.before
  if (growth > most) {
    tally.violate('other violations', `${what}: memory grew by ${growth.toFixed()} MiB`)
  }
}

function countsOf(answers: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return [...counts].map(([answer, times]) => `${answer} × ${times}`).join(', ')
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
