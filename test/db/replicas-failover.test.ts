import { expect, inject, it, onTestFinished } from 'vitest'
import { cacheLimits } from '../support/app.ts'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import { newTexts, startReplicated, upload } from '../support/servers/replicated-service.ts'
import { forReplicas, StreamingReplica } from '../support/servers/streaming-replica.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'
import { waitUntil } from '../support/wait.ts'

const isTried = hasPostgres && inject('engine') === 'postgres'

/** A primary, and two replicas, of which the first will take its place at the same address. */
async function startServers() {
  const primary = await Cluster.start(forReplicas)
  onTestFinished(() => primary.stop())
  const [heir, stale] = [await StreamingReplica.of(primary), await StreamingReplica.of(primary)]
  onTestFinished(async () => {
    await Promise.all([heir.stop(), stale.stop()])
  })
  const target = { host: '127.0.0.1', port: primary.port }
  // From the failover on the replicas' looks at the primary fail: until then nobody can have noticed.
  const looks = { arePassed: true }
  const address = await TcpProxy.to(target, () => (bytes) => {
    return looks.arePassed || !bytes.includes('pg_control_system') ? 'pass' : 'drop'
  })
  onTestFinished(() => address.close())
  const failOver = async () => {
    looks.arePassed = false
    await primary.crash()
    await heir.start()
    await heir.promote()
    target.port = heir.port
  }
  return { heir, stale, address, looks, failOver }
}

type Service = Awaited<ReturnType<typeof startReplicated>>

async function textIdsFrom(service: Service) {
  const query = { vector: [0, 0, 1], threshold: 0.9 }
  const { body } = await service.call('POST', '/v1/similars/ann/texts', query)
  return body.results.map(({ id }: { id: string }) => id)
}

it.skipIf(!isTried)('no replica of the old primary is read from after a failover', async () => {
  const { heir, stale, address, looks, failOver } = await startServers()
  const service = await startReplicated(address.port, [stale.port])
  onTestFinished(() => service.close())
  await newTexts(service, 'ann')
  await service.uses(1)
  await heir.catchUp()
  await heir.crash()
  // Acknowledged, and not known to the server that is promoted.
  await upload(service, 'ann', { lost: [0, 0, 1] })
  await stale.catchUp()
  const seen = async () => [await textIdsFrom(service), service.sums().reads > 0]
  await expect.poll(seen).toEqual([['lost'], true])
  await failOver()
  // Of another history, and with the same revision.
  await upload(service, 'ann', { kept: [0, 0, 1] })
  expect(await textIdsFrom(service)).toEqual(['kept'])
  looks.arePassed = true
  const leftOut = () => service.database.replicas()[0]?.leftOut
  await expect
    .poll(leftOut, { timeout: 60_000 })
    .toMatch(/^it is on timeline 1, and the primary on 2/)
  expect(await textIdsFrom(service)).toEqual(['kept'])
})

it.skipIf(!isTried)('vectors in memory are those of the new primary after a failover', async () => {
  const { heir, address, failOver } = await startServers()
  const service = await startReplicated(address.port, [], { cacheLimits })
  onTestFinished(() => service.close())
  // Of another process: this one does not say what it has changed.
  const other = await startReplicated(address.port, [])
  onTestFinished(() => other.database.close())
  await newTexts(service, 'ann')
  await heir.catchUp()
  await heir.crash()
  await upload(service, 'ann', { lost: [0, 0, 1] })
  await waitUntil(async () => {
    expect(await textIdsFrom(service)).toEqual(['lost'])
    return service.vectorCache.usage().held.some(({ isReady }) => isReady)
  })
  await failOver()
  await upload(other, 'ann', { kept: [0, 0, 1] })
  expect(await textIdsFrom(service)).toEqual(['kept'])
})
