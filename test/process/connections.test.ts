import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Cluster, hasPostgres } from '../support/servers/cluster.ts'
import { node, refused, semblance, toItsEnd, upToDate } from '../support/servers/program.ts'
import { request, serve, startServer } from '../support/servers/server.ts'

let cluster: Cluster

/** A server whose 40 connections are 34 for those who are no superusers. */
describe.skipIf(!hasPostgres)('the connections that a server may open', () => {
  beforeAll(async () => {
    const settings = ['max_connections=40', 'superuser_reserved_connections=6']
    cluster = await Cluster.start(['host all all 127.0.0.1/32 trust'], settings)
    await cluster.query('create role limited login connection limit 20')
    await cluster.query('create database small owner limited connection limit 10')
  })
  afterAll(() => cluster?.stop())

  it.each([
    [
      'the server has',
      { SERVICE_DBCONNECTIONS: '35' },
      '34 connections, fewer than the 35 of this service; lower SERVICE_DBCONNECTIONS, or raise max_connections',
    ],
    [
      'the server has for several processes',
      { SERVICE_WORKERS: '2', SERVICE_DBCONNECTIONS: '18' },
      '34 connections, fewer than the 36 (2 processes × 18) of this service; lower SERVICE_DBCONNECTIONS or SERVICE_WORKERS, or raise max_connections',
    ],
    [
      'the user has',
      { SERVICE_DBUSER: 'limited' },
      '20 connections of this user, fewer than the 32 of this service; lower SERVICE_DBCONNECTIONS, or raise the CONNECTION LIMIT of the role',
    ],
    [
      'the database has',
      { SERVICE_DBUSER: 'limited', SERVICE_DBNAME: 'small', SERVICE_DBCONNECTIONS: '12' },
      '10 connections to this database, fewer than the 12 of this service; lower SERVICE_DBCONNECTIONS, or raise the CONNECTION LIMIT of the database',
    ],
  ])('are not more than %s', async (_, env, message) => {
    const outcome = await toItsEnd(serve(node, await cluster.site(env)))
    expect(outcome).toEqual(refused(`PostgreSQL at 127.0.0.1:${cluster.port} allows ${message}`))
  })

  it('are for no more processes than the server allows, with `auto`', async () => {
    const env = { SERVICE_WORKERS: 'auto', SERVICE_DBCONNECTIONS: '34' }
    const server = await startServer(node, await cluster.site(env))
    expect((await request(server, 'GET', '/v1/users')).status).toBe(200)
  })

  it('do not matter to a migration', async () => {
    const site = await cluster.site({ SERVICE_DBCONNECTIONS: '35' })
    const outcome = await toItsEnd(semblance(node, ['migrate'], site))
    expect(outcome).toEqual(upToDate)
  })

  it('are enough when there are six', async () => {
    const env = { SERVICE_DBCONNECTIONS: '6' }
    const server = await startServer(node, await cluster.site(env))
    expect(server.program.log.filter(({ level }) => level !== 'info')).toEqual([])
    const all = Array.from({ length: 30 }, () => request(server, 'GET', '/v1/users'))
    for (const { status } of await Promise.all(all)) expect(status).toBe(200)
    const [row] = await cluster.query(
      "select count(*)::int as open from pg_stat_activity where application_name = 'semblance'",
    )
    expect(row?.['open']).toBeLessThanOrEqual(6)
  })
})
