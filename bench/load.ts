import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { within } from '../test/shared/time.ts'
import { type Figures, figuresOf, medians } from './figures.ts'
import type { Answer, Job, Sample, Task } from './jobs.ts'

const program = fileURLToPath(new URL('load-process.js', import.meta.url))
/** Clients are spread over so many processes, so that they are not what is measured. */
const processes = 2
/** Each side's before its rounds: what a server compiles and caches as it runs is there then. */
const warmUpMs = 2_000
/** How much longer than planned a run may take. */
const graceMs = 180_000

export interface Load {
  run(clients: number, ms: number): Promise<Sample>
}

/** Lets `use` have processes that do this job, and ends them. */
export async function withLoad<T>(job: Job, use: (load: Load) => Promise<T>): Promise<T> {
  const children = Array.from({ length: processes }, startChild)
  try {
    await Promise.all(
      children.map(({ ask }, index) => ask({ kind: 'prepare', job, seat: index * 100 }, 0)),
    )
    return await use({
      async run(clients, ms) {
        const shares = children.map((_, index) => Math.floor((clients + index) / processes))
        const runs = children.flatMap(({ ask }, index) => {
          const share = shares[index] ?? 0
          return share === 0 ? [] : [ask({ kind: 'run', clients: share, ms }, ms)]
        })
        const samples = await Promise.all(runs)
        return {
          latencies: samples.flatMap(({ latencies }) => latencies),
          elapsed: Math.max(...samples.map(({ elapsed }) => elapsed)),
        }
      },
    })
  } finally {
    for (const { child } of children) child.kill('SIGKILL')
  }
}

/** Lets `use` have one for each of these jobs. */
export async function withLoads<T>(
  [job, ...rest]: readonly Job[],
  use: (loads: readonly Load[]) => Promise<T>,
): Promise<T> {
  if (job === undefined) return use([])
  return withLoad(job, (load) => withLoads(rest, (loads) => use([load, ...loads])))
}

function startChild() {
  const child = fork(program, { serialization: 'advanced' })
  const gone = once(child, 'exit').then(() => {
    throw new Error('a load process ended')
  })
  gone.catch(() => {})
  const ask = (task: Task, ms: number) =>
    within(Promise.race([answerOf(child, task), gone]), ms + graceMs, 'a load process')
  return { child, ask }
}

async function answerOf(child: ChildProcess, task: Task): Promise<Sample> {
  const answered = once(child, 'message')
  child.send(task)
  const [answer]: Answer[] = await answered
  if (answer === undefined) throw new Error('a load process answered nothing')
  if ('failure' in answer) throw new Error(`in a load process: ${answer.failure}`)
  return answer.sample
}

/**
 * Measures several loads in alternation, in short rounds, so that a machine that is slower for a
 * while is slower for all of them. Each is warmed up before.
 */
export async function alternate(
  loads: readonly Load[],
  clients: number,
  { rounds, roundMs }: { readonly rounds: number; readonly roundMs: number },
): Promise<Figures[]> {
  const sides = loads.map((load) => ({ load, figures: [] as Figures[] }))
  for (const { load } of sides) await load.run(clients, warmUpMs)
  for (let round = 0; round < rounds; round += 1) {
    for (const { load, figures } of round % 2 === 0 ? sides : sides.toReversed()) {
      figures.push(figuresOf(await load.run(clients, roundMs)))
    }
  }
  return sides.map(({ figures }) => medians(figures))
}
