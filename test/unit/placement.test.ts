import { describe, expect, it } from 'vitest'
import { imbalance, inTurn, rebalance } from '../../bench/placement/nodes.ts'
import { lognormal, withRequests, zipf } from '../../bench/placement/projects.ts'
import { hashOf, type Shard, shardsOf } from '../../bench/placement/shards.ts'

const projects = withRequests(lognormal(2.5)(5_000))
const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0)
const bytesOf = (shards: readonly Shard[]) => shards.map(({ bytes }) => bytes)

describe('the model of a placement', () => {
  it('has the same projects each time', () => {
    expect(withRequests(lognormal(2.5)(5_000))).toEqual(projects)
    expect([...zipf(3)]).toEqual([1, 1 / 2, 1 / 3])
  })

  it('puts every project into one shard', () => {
    for (const isolated of [[], [7, 11]]) {
      expect(sum(bytesOf(shardsOf(projects, 32, isolated)))).toBeCloseTo(sum(projects.bytes))
    }
  })

  it('gives an isolated project a shard alone, on the node that it was on', () => {
    const origin = Math.floor((hashOf(7) * 32) / 2 ** 32)
    const shards = shardsOf(projects, 32, [7])
    expect(shards).toHaveLength(34)
    const own = shards.find(({ bytes }) => bytes === projects.bytes[7])
    expect(own).toMatchObject({ origin, requests: projects.requests[7] })
    expect(inTurn(shards, 10)[origin % 10]).toContain(own)
  })

  it('balances by moving shards, and loses none', () => {
    const nodes = inTurn(shardsOf(projects, 256, []), 10)
    const before = imbalance(nodes, 'bytes')
    const moved = rebalance(nodes)
    expect(imbalance(nodes, 'bytes')).toBeLessThan(before)
    expect(moved).toBeGreaterThan(0)
    expect(nodes.flat()).toHaveLength(256)
    expect(rebalance(nodes)).toBe(0)
  })
})
