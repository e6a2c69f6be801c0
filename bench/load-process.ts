import { on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpClient } from './clients/http.ts'
import { copyClient, sqlClient } from './clients/sql.ts'
import type { Answer, Client, Job, Sample, Task } from './jobs.ts'

/** @param seat different for each client of a job */
function createClient(job: Job, seat: number): Client {
  switch (job.kind) {
    case 'http':
      return httpClient(job, seat)
    case 'sql':
      return sqlClient(job, seat)
    case 'copy':
      return copyClient(job, seat)
  }
}

const clients: Client[] = []
let create: (index: number) => Client = () => {
  throw new Error('there is no job yet')
}
let pauseMs = 0

async function work(client: Client, until: number, latencies: number[]): Promise<void> {
  do {
    const start = performance.now()
    await client()
    latencies.push(performance.now() - start)
    if (pauseMs > 0) await sleep(pauseMs)
  } while (performance.now() < until)
}

async function run(count: number, ms: number): Promise<Sample> {
  while (clients.length < count) clients.push(create(clients.length))
  const latencies: number[] = []
  const start = performance.now()
  await Promise.all(clients.slice(0, count).map((client) => work(client, start + ms, latencies)))
  return { latencies, elapsed: performance.now() - start }
}

async function perform(task: Task): Promise<Sample> {
  if (task.kind === 'run') return run(task.clients, task.ms)
  const { job, seat } = task
  create = (index) => createClient(job, seat + index)
  pauseMs = job.kind === 'http' ? (job.pauseMs ?? 0) : 0
  return { latencies: [], elapsed: 0 }
}

const failure = (error: unknown) => ({
  failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
})

// Nobody is left to work for when the parent is gone.
process.on('disconnect', () => process.exit())
for await (const event of on(process, 'message')) {
  const [task]: Task[] = event
  if (task === undefined) continue
  const answer: Answer = await perform(task).then((sample) => ({ sample }), failure)
  process.send?.(answer)
}
