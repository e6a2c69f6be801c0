import { expect, inject, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/db/postgres/engine.ts'
import type { AppDependencies } from '../../src/server/app-dependencies.ts'
import { cacheLimits } from '../support/app.ts'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import { askerOf, makeProject, store } from '../support/servers/own-projects.ts'
import { startOwnService } from '../support/servers/own-service.ts'
import { forReplicas, StreamingReplica } from '../support/servers/streaming-replica.ts'
import { TcpProxy } from '../support/servers/tcp-proxy.ts'
import { waitUntil } from '../support/wait.ts'

const isTried = hasPostgres && inject('engine') === 'postgres'

/** A server, and a replica that will take its place at the same address. */
async function startServers() {
  const primary = await Cluster.start(forReplicas)
  onTestFinished(() => primary.stop())
  const heir = await StreamingReplica.of(primary)
  onTestFinished(() => heir.stop())
  const target = { host: '127.0.0.1', port: primary.port }
  const address = await TcpProxy.to(target, () => () => 'pass')
  onTestFinished(() => address.close())
  const failOver = async () => {
    await primary.crash()
    await heir.start()
    await heir.promote()
    target.port = heir.port
  }
  return { heir, port: address.port, failOver }
}

const openAt = (port: number) =>
  openPostgres({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: '',
    database: 'postgres',
    tls: { mode: 'disable' },
  })

async function startAt(port: number, settings: Partial<AppDependencies> = {}) {
  const open = async () => ({
    database: await openAt(port),
    place: undefined,
    drop: async () => {},
  })
  const service = await startOwnService(settings, true, open)
  const ask = askerOf(service)
  return {
    ...service,
    ask,
    upload: (text_id: string) => store(ask, 'ann/texts', [{ text_id, vector: [0, 0, 1] }]),
    textIds: async () => {
      const query = { vector: [0, 0, 1], threshold: 0.9 }
      const { body } = await ask('POST', '/v1/similars/ann/texts', query)
      return body.results.map(({ id }: { id: string }) => id)
    },
  }
}

it.skipIf(!isTried)('vectors in memory are those of the new primary after a failover', async () => {
  const { heir, port, failOver } = await startServers()
  const service = await startAt(port, { cacheLimits })
  onTestFinished(() => service.close())
  // Of another process: this one does not say what it has changed.
  const other = await startAt(port)
  onTestFinished(() => other.database.close())
  await makeProject(service.ask, 'ann/texts', 3)
  await heir.catchUp()
  await heir.crash()
  // Acknowledged, and not known to the server that is promoted.
  await service.upload('lost')
  await waitUntil(async () => {
    expect(await service.textIds()).toEqual(['lost'])
    return service.vectorCache.usage().held.some(({ isReady }) => isReady)
  })
  await failOver()
  // Of another history, and with the same revision.
  await other.upload('kept')
  expect(await service.textIds()).toEqual(['kept'])
})
