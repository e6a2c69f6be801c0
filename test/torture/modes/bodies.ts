import { setTimeout as sleep } from 'node:timers/promises'
import { allCases, type Case, send } from '../bodies/cases.ts'
import { type Seen, Watch } from '../bodies/watch.ts'
import { HttpClient } from '../http-client.ts'
import { embedded, type Mode, type Stage, withStage } from '../stage.ts'

const MiB = 2 ** 20
/** How many are sent at the same time. */
const atOnce = [1, 8]
/** For what a request leaves behind to be collected, and others to be let in. */
const restMs = 100
const shortMs = 25_000
/** For a body; these catch what is blown up. Whether it is good is for a reader of the remarks to say. */
const worstBoundMs = 1_000
const growthBound = { times: 4, besides: 150 }
/** Each chunk is an object for a while, and V8 takes its time to collect millions of them. */
const besidesOfChunks = 600

/** Odd bodies, as large as may be, to one operation after another, while somebody asks whether the server lives. */
export const bodies: Mode = (context) =>
  withStage(context, 'bodies', { settings: embedded }, async (stage) => {
    const { tally, random, service, world } = stage
    const { probed, adminKey: key } = world
    const client = new HttpClient(service.url, tally)
    await client.expect('PATCH', probed.path('projects'), { key, body: { public_read: true } })
    client.close()
    const chosen = allCases()
      .filter(({ target, body }) => `${target.name}: ${body}`.includes(context.bodiesNamed))
      .map((one) => ({ one, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .slice(0, context.rounds)
    const until = performance.now() + (context.isShort ? shortMs : Number.POSITIVE_INFINITY)
    const watch = new Watch(service.url, service.pid)
    let worst = 0
    for (const { one } of chosen) {
      if (performance.now() > until) break
      for (const count of atOnce) worst = Math.max(worst, await trial(stage, watch, one, count))
      tally.endRound()
    }
    await watch.end()
    tally.remarks = { '/livez ms at most': worst }
  })

/** @returns the longest that /livez took */
async function trial(
  { tally, service }: Stage,
  watch: Watch,
  { target, body, make }: Case,
  count: number,
): Promise<number> {
  const sent = make()
  await sleep(restMs)
  await watch.next()
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      send(service.url, target, 100 * tally.rounds + 10 * count + index, sent),
    ),
  )
  await sleep(restMs)
  const seen = await watch.next()
  const inChunks = sent.headers.some((header) => header.startsWith('Transfer-Encoding'))
  const besides = inChunks ? besidesOfChunks : growthBound.besides
  const most = (growthBound.times * count * sent.size) / MiB + besides
  for (const flaw of flawsOf(answers, { ...seen, busy: seen.busy / count }, most)) {
    tally.violate('other violations', `${body} to ${target.name}, ${count} at once: ${flaw}`)
  }
  for (const answer of answers) tally.answered(answer)
  return seen.worst
}

function flawsOf(answers: readonly string[], seen: Seen, most: number): string[] {
  const flaws = answers.filter((answer) => answer.startsWith('5') && answer !== '503')
  // Else it was the machine that was busy.
  if (Math.min(seen.worst, seen.busy) > worstBoundMs) {
    flaws.push(`/livez took ${seen.worst.toFixed()} ms`)
  }
  if (seen.growth > most) flaws.push(`memory grew by ${seen.growth.toFixed()} MiB`)
  return flaws
}
