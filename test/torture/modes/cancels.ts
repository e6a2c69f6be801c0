import {
  ask,
  type Flaw,
  flawOf,
  flaws,
  learn,
  type Question,
  questionsAbout,
} from '../cancels/questions.ts'
import { strike } from '../cancels/strike.ts'
import { fill, wideList } from '../cancels/wide.ts'
import { HttpClient } from '../http-client.ts'
import { adminKey } from '../service.ts'
import { type Mode, type PostgresStage, withWorld } from '../stage.ts'
import type { World } from '../world.ts'

const answersOfRound = 1_000
const lanes = 8
/** By the time limit it takes a minute. */
const roundsByRequest = 20
/** All searches compare everything, so that each has one right answer. */
const settings = { SERVICE_MAXINDEXES: '0' }

/** Statements end with an error in the middle of their rows; no answer after that may show it. */
export const cancels: Mode = (context) =>
  withWorld(
    context,
    'cancels',
    async (stage) => {
      const { tally, random, world } = stage
      await fill(world)
      const client = new HttpClient(world.url, tally)
      const [list] = await learn(client, [{ path: wideList, request: { key: adminKey } }])
      const questions = await learn(client, questionsAbout(world))
      client.close()
      if (list === undefined) throw new Error('there is no list')
      const found: Findings = { answers: 0, cancelled: 0, refused: 0, flawed: new Map(), rounds: 0 }
      for (; tally.rounds < context.rounds; tally.endRound()) {
        const byTime = context.thorough && tally.rounds % roundsByRequest === roundsByRequest - 1
        const struck = await strike(stage, list, byTime ? 'by time limit' : 'by request')
        found.cancelled += struck.cancelled
        found.refused += struck.refused
        const before = total(found.flawed)
        await readAll(stage, questions, random, found)
        if (total(found.flawed) > before) found.rounds += 1
        tally.remarks = remarksOf(found)
      }
    },
    { settings },
  )

interface Findings {
  answers: number
  cancelled: number
  refused: number
  readonly flawed: Map<Flaw, number>
  /** With a wrong answer. */
  rounds: number
}

const total = (counts: ReadonlyMap<Flaw, number>) => [...counts.values()].reduce((a, b) => a + b, 0)

const remarksOf = ({ answers, cancelled, refused, flawed, rounds }: Findings) => ({
  'broken off': cancelled,
  'lists answered 503': refused,
  'answers compared': answers,
  wrong: total(flawed),
  ...Object.fromEntries(flaws.map((flaw) => [`(${flaw})`, flawed.get(flaw) ?? 0])),
  'rounds with wrong ones': rounds,
})

async function readAll(
  { tally, world: { url } }: PostgresStage & { readonly world: World },
  questions: readonly Question[],
  random: () => number,
  found: Findings,
): Promise<void> {
  let left = answersOfRound
  const lane = async () => {
    const client = new HttpClient(url, tally)
    while (left-- > 0) {
      const question = questions[Math.floor(random() * questions.length)]
      if (question === undefined) throw new Error('there is nothing to ask')
      const outcome = await ask(client, question.path, question.request)
      found.answers += 1
      const flaw = flawOf(outcome, question)
      if (flaw === undefined) continue
      found.flawed.set(flaw, (found.flawed.get(flaw) ?? 0) + 1)
      const text = JSON.stringify(outcome.body)?.slice(0, 200)
      tally.violate('wrong answers', `${question.path} (${flaw}): ${outcome.status} ${text}`)
    }
    client.close()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
