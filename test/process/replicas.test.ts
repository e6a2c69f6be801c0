import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../shared/ports.ts'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import { createProject, request, runtimes, startServer, stop } from '../support/servers/server.ts'
import { forReplicas, StreamingReplica } from '../support/servers/streaming-replica.ts'

let primary: Cluster
let replica: StreamingReplica

describe.skipIf(!hasPostgres)('a server with a replica', () => {
  beforeAll(async () => {
    primary = await Cluster.start(forReplicas)
    replica = await StreamingReplica.of(primary)
  })
  afterAll(async () => {
    await replica?.stop()
    await primary?.stop()
  })

  it.each(runtimes)('reads from it, and says which it leaves out ($name)', async (runtime) => {
    const site = await primary.site({
      SERVICE_DBREPLICAS: `127.0.0.1:${replica.port},127.0.0.1:${await freePort()}`,
      SERVICE_DEBUG: 'false',
    })
    const server = await startServer(runtime, site)
    await server.program.said(/The replica at 127\.0\.0\.1:\d+ is in use/)
    await server.program.said(
      /The replica at 127\.0\.0\.1:\d+ is left out until it can be read from/,
    )
    await createProject(server, 3)
    const path = '/v1/similars/ann/texts'
    const found = await request(server, 'POST', path, { vector: [1, 0, 0] })
    expect(found).toMatchObject({ status: 200, body: { results: [] } })
    await stop(server)
    await primary.query('drop schema public, drizzle cascade; create schema public')
  })
})
