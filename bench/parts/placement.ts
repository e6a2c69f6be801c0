import { note } from '../../test/shared/time.ts'
import type { Bench } from '../bench.ts'
import { imbalance, inTurn, rebalance } from '../placement/nodes.ts'
import { lognormal, type Projects, withRequests, zipf } from '../placement/projects.ts'
import { shardsOf } from '../placement/shards.ts'

const projectCount = 1_000_000
const nodeCount = 100
const shardCounts = [32, 256, 1_024, 4_096]
/** The share of what a node has on average from which on a project gets a shard of its own. */
const isolatedFrom = 0.05

const distributions = { 'lognormal, σ 2.5': lognormal(2.5), 'Zipf, exponent 1': zipf }

/** How evenly a million projects lie on a hundred nodes of Citus: a model, which asks no database. */
export function placement({ report }: Bench): void {
  for (const [sizes, sizesOf] of Object.entries(distributions)) {
    note(`placement: ${sizes}`)
    const projects = withRequests(sizesOf(projectCount))
    for (const count of shardCounts) report.add('placement', { sizes, ...placed(projects, count) })
  }
}

/** Loads of the fullest node ÷ the mean. */
function placed(projects: Projects, count: number) {
  const share = projects.bytes.reduce((sum, size) => sum + size, 0) / nodeCount
  const large = [...projects.bytes.keys()].filter(
    (id) => (projects.bytes[id] ?? 0) >= share * isolatedFrom,
  )
  const nodes = inTurn(shardsOf(projects, count, []), nodeCount)
  const [bytes, requests] = [imbalance(nodes, 'bytes'), imbalance(nodes, 'requests')]
  const apart = inTurn(shardsOf(projects, count, large), nodeCount)
  return {
    'largest project': Math.max(...large.map((id) => projects.bytes[id] ?? 0)) / share,
    shards: count,
    bytes,
    requests,
    ...rebalanced(nodes, 'rebalanced'),
    isolated: large.length,
    ...rebalanced(apart, 'both'),
  }
}

function rebalanced(nodes: ReturnType<typeof inTurn>, name: string) {
  const moved = rebalance(nodes)
  return {
    [`${name}: bytes`]: imbalance(nodes, 'bytes'),
    [`${name}: requests`]: imbalance(nodes, 'requests'),
    [`${name}: moved %`]: 100 * moved,
  }
}
