import { cpus } from 'node:os'
import { note } from '../../test/shared/time.ts'
import type { PostgresBench } from '../bench.ts'
import { type Cluster, clusterOf, type Shapes, withShapes, workerPorts } from '../citus/cluster.ts'
import { type CpuLimits, cpuLimits } from '../citus/cpu-limits.ts'
import { deletions } from '../citus/deletions.ts'
import { coresOf, limitOf, meteredEach, type Use } from '../citus/meters.ts'
import { createProjects, fill } from '../citus/projects.ts'
import { jobOf, listsOf, type Requests, searchesIn, uploadsTo } from '../citus/requests.ts'
import type { Figures } from '../figures.ts'
import { alternate, withLoads } from '../load.ts'
import { judge } from '../report.ts'

/** Little enough that coordinator, service and clients have the rest, and no more than a machine of its own would be given. */
const limitedTo = Math.min(1, cpus().length / 20)
const receivers = 8

interface Scene {
  readonly bench: PostgresBench
  readonly cluster: Cluster
  readonly limits: CpuLimits | undefined
  readonly shapes: Shapes
}

/** The same projects on plain PostgreSQL, on one worker of Citus, and on two. */
export async function citus(bench: PostgresBench): Promise<void> {
  const ports = workerPorts()
  if (ports === undefined) {
    note('citus is left out: BENCH_CITUS_WORKERS does not name the ports of two workers')
    return
  }
  const { projects: count, vectors } = bench.plan.citus
  const cluster = await clusterOf(bench.databaseServer, ports)
  const limits = cpuLimits()
  await withShapes(bench, cluster, async (shapes) => {
    const scene = { bench, cluster, limits, shapes }
    const projects = await createProjects(shapes, 'searched', count)
    await fill(shapes, projects, vectors)
    await measure(scene, 'exact search', 16, searchesIn(projects, vectors))
    await measure(scene, 'list of 10', 16, listsOf(projects))
    const changed = await createProjects(shapes, 'changed', receivers)
    await measure(scene, 'upload of 1', receivers, uploadsTo(changed, 1))
    await measure(scene, 'upload of 1,000', receivers, uploadsTo(changed, 1_000))
    const p50s = await deletions(shapes, changed)
    bench.report.add('citus: one client', { request: 'deletion of 1', ...latencies(p50s) })
  })
}

/** One client, whose waits tell what the coordinator adds; then many, while each worker has its limit. */
async function measure(
  { bench, cluster, limits, shapes }: Scene,
  request: string,
  clients: number,
  requests: Requests,
): Promise<void> {
  const { plan, report } = bench
  note(`citus: ${request}`)
  const jobs = shapes.map((shape) => jobOf(shape, requests))
  await withLoads(jobs, async (loads) => {
    const sides = async (count: number, roundMs: number): Promise<Side[]> => {
      const meters = loads.map((load, at) => meteredEach(load, shapes[at] ?? shapes[0], cluster))
      const figures = await alternate(meters, count, { ...plan, roundMs })
      return figures.flatMap((each, at) => {
        const use = meters[at]?.use()
        return use === undefined ? [] : { ...each, use }
      })
    }
    const alone = await sides(1, plan.roundMs)
    const latency = latencies(alone.map(({ p50 }) => p50))
    report.add('citus: one client', { request, ...latency, ...usedBy(alone) })

    const many = () => sides(clients, plan.ingest.roundMs)
    const roots = cluster.workers.map(({ pid }) => pid)
    const together = limits ? await limits.hold(roots, limitedTo, many) : await many()
    const limit = limits && limitedTo
    report.add('citus: many clients', { request, clients, ...throughput(together, limit) })
    for (const [at, side] of together.entries()) {
      report.add('citus: CPU', { request, embeddings: shapes[at]?.name, ...cpuRow(side) })
    }
  })
}

interface Side extends Figures {
  readonly use: Use
}

const latencies = ([plain = Number.NaN, one = Number.NaN, two]: readonly number[]) => ({
  'plain p50 ms': plain,
  'one worker p50 ms': one,
  'two workers p50 ms': two,
  'added ms': one - plain,
})

/** CPU of a request, of one client's. */
const usedBy = ([plain, one]: readonly Side[]) => ({
  'plain: service ms': plain?.use.service,
  'database ms': plain?.use.workers[0],
  'Citus: service ms': one?.use.service,
  'coordinator ms': one?.use.coordinator,
  'worker ms': one?.use.workers[0],
})

function throughput([plain, one, two]: readonly Side[], cores: number | undefined) {
  if (plain === undefined || one === undefined || two === undefined) return {}
  const ratio = two.perSecond / one.perSecond
  const [limit, limitOfTwo] = [one, two].map(({ use, perSecond }) => limitOf(use, perSecond, cores))
  // Two workers cannot show what they could do where something else has no more to give.
  const isComparable = limit === 'worker' && limitOfTwo !== 'machine' && limitOfTwo !== 'service'
  return {
    'cores of a worker': cores ?? 'no limit',
    ...{ 'plain /s': plain.perSecond, '/s of one': one.perSecond, '/s of two': two.perSecond },
    'one ÷ plain': one.perSecond / plain.perSecond,
    'two ÷ one': ratio,
    ...{ 'p50 ms of one': one.p50, 'p50 ms of two': two.p50 },
    ...{ 'one is limited by': limit, 'two by': limitOfTwo },
    target: isComparable ? judge({ name: 'two ÷ one', value: ratio, atLeast: 1.7 }) : '',
  }
}

const cpuRow = ({ use, perSecond }: Side) => ({
  'service ms': use.service,
  'coordinator ms': use.coordinator,
  'worker 1 ms': use.workers[0],
  'worker 2 ms': use.workers[1],
  'service cores': coresOf(use.service, perSecond),
  'coordinator cores': coresOf(use.coordinator, perSecond),
  'worker 1 cores': coresOf(use.workers[0], perSecond),
  'worker 2 cores': coresOf(use.workers[1], perSecond),
  'machine cores': coresOf(use.machine, perSecond),
})
