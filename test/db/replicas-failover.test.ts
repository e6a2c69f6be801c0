import { expect, inject, it, onTestFinished } from 'vitest'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import { newTexts, startReplicated, upload } from '../support/servers/replicated-service.ts'
import { forReplicas, StreamingReplica } from '../support/servers/streaming-replica.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'

const isTried = hasPostgres && inject('engine') === 'postgres'

it.skipIf(!isTried)('no replica of the old primary is read from after a failover', async () => {
  const primary = await Cluster.start(forReplicas)
  onTestFinished(() => primary.stop())
  const [heir, stale] = [await StreamingReplica.of(primary), await StreamingReplica.of(primary)]
  onTestFinished(async () => {
    await Promise.all([heir.stop(), stale.stop()])
  })
  const target = { host: '127.0.0.1', port: primary.port }
  // Until then nobody can have noticed.
  let isLookedAt = true
  const address = await TcpProxy.to(target, () => (bytes) => {
    return isLookedAt || !bytes.includes('pg_control_system') ? 'pass' : 'drop'
  })
  onTestFinished(() => address.close())
  const service = await startReplicated(address.port, [stale.port])
  onTestFinished(() => service.close())
  const textIds = async () => {
    const query = { vector: [0, 0, 1], threshold: 0.9 }
    const { body } = await service.call('POST', '/v1/similars/ann/texts', query)
    return body.results.map(({ id }: { id: string }) => id)
  }
  await newTexts(service, 'ann')
  await service.uses(1)
  await heir.catchUp()
  await heir.crash()
  // Acknowledged, and not known to the server that is promoted.
  await upload(service, 'ann', { lost: [0, 0, 1] })
  await stale.catchUp()
  await expect
    .poll(async () => [await textIds(), service.sums().reads > 0])
    .toEqual([['lost'], true])
  isLookedAt = false
  await primary.crash()
  await heir.start()
  await heir.promote()
  target.port = heir.port
  // Of another history, and with the same revision.
  await upload(service, 'ann', { kept: [0, 0, 1] })
  expect(await textIds()).toEqual(['kept'])
  isLookedAt = true
  await service.uses(0)
  const leftOut = () => service.database.replicas()[0]?.leftOut
  await expect
    .poll(leftOut, { timeout: 60_000 })
    .toMatch(/^it is on timeline 1, and the primary on 2/)
  expect(await textIds()).toEqual(['kept'])
})
