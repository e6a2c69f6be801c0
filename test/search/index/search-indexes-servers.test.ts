import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openPostgres } from '../../../src/db/postgres/engine.ts'
import { indexLimits } from '../../support/app.ts'
import { longDimensions, modeOf, part, structured } from '../../support/data/indexed.ts'
import { type Ask, askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startBeside, startOwnService } from '../../support/servers/own-service.ts'
import { waitUntil } from '../../support/wait.ts'

const settings = { indexLimits: { ...indexLimits, maxIndexes: 2 } }
const dimensions = longDimensions
const documents = structured(24 * part, dimensions)

type Server = ReturnType<typeof startBeside> & { readonly ask: Ask }

let first: Awaited<ReturnType<typeof startOwnService>>
let servers: [Server, Server]
let closeSecond: () => Promise<void>

/** Two servers on one database; on the embedded engine, which has one process, two in one. */
beforeAll(async () => {
  first = await startOwnService(settings)
  const { place } = first
  const database = place === undefined ? first.database : await openPostgres(place)
  closeSecond = place === undefined ? async () => {} : () => database.close()
  const second = startBeside({ database }, settings)
  servers = [
    { ...first, ask: askerOf(first) },
    { ...second, ask: askerOf(second) },
  ]
})
afterAll(async () => {
  await closeSecond()
  await first.close()
})

async function remove({ ask }: Server, path: string) {
  expect((await ask('DELETE', path)).status).toBe(200)
}

/** At the same time, but in turn on the embedded engine, whose one session would have the lock twice. */
async function lookBoth(): Promise<void> {
  if (first.database.engine === 'embedded') {
    for (const { searchIndexes } of servers) await searchIndexes.reconcile()
  } else {
    const looks = servers.map(({ searchIndexes }) => searchIndexes.reconcile())
    expect(await Promise.all(looks)).toContain(true)
  }
}

/** Both servers look, again and again, until there is no more to do. */
async function untilQuiet(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await lookBoth()
  for (const { searchIndexes } of servers) {
    await waitUntil(() => searchIndexes.reconcile())
  }
}

async function modes(handle: string) {
  const path = `/v1/similars/ann/${handle}/${encodeURIComponent(documents[0]?.text_id ?? '')}?threshold=0`
  const answers = servers.map(({ ask }) => ask('GET', path))
  return (await Promise.all(answers)).map(modeOf)
}

/** The projects with an index, and whether it is valid. */
async function indexed(): Promise<Record<string, boolean>> {
  const rows = await first.database.short.db
    .select({ handle: sql<string>`project_handle`, valid: sql<boolean>`indisvalid` })
    .from(
      sql`pg_index join pg_class on oid = indexrelid
        left join projects on relname like 'embeddings\\_hnsw\\_' || collection_id || '\\_%'`,
    )
    .where(sql`relname like 'embeddings\\_hnsw\\_%'`)
  return Object.fromEntries(rows.map(({ handle, valid }) => [handle, valid]))
}

async function broken(): Promise<number> {
  const [row] = await first.database.short.db
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(sql`pg_index`)
    .where(sql`indrelid = 'embeddings'::regclass and not indisvalid`)
  return row?.count ?? 0
}

const changes = () =>
  servers
    .map(({ searchIndexes }) => searchIndexes.tally)
    .reduce(
      (sum, { built, dropped, failed }) => {
        return [sum[0] + built, sum[1] + dropped, sum[2] + failed] as const
      },
      [0, 0, 0] as readonly [number, number, number],
    )

describe('two servers on one database', () => {
  it('build one index for what either of them was given, when it has stopped growing, and both use it', async () => {
    const [a, b] = servers
    await makeProject(a.ask, 'ann/both', dimensions)
    await store(a.ask, 'ann/both', documents.slice(0, 22 * part))
    expect(await a.searchIndexes.reconcile()).toBe(true)
    expect(await modes('both')).toEqual(['exact', 'exact'])
    await store(b.ask, 'ann/both', documents.slice(22 * part))
    await untilQuiet()
    expect(await indexed()).toEqual({ both: true })
    expect(changes()).toEqual([1, 0, 0])
    expect(await modes('both')).toEqual(['approximate', 'approximate'])
  })

  it('keep it while it grows through either', async () => {
    const more = structured(12 * part, dimensions, 5)
    for (const [round, { ask }] of [...servers, ...servers].entries()) {
      const batch = more.slice(3 * round * part, 3 * (round + 1) * part)
      const renamed = batch.map((each) => ({ ...each, text_id: `${round}${each.text_id}` }))
      await store(ask, 'ann/both', renamed)
      await lookBoth()
      expect(await modes('both')).toEqual(['approximate', 'approximate'])
    }
    expect(changes()).toEqual([1, 0, 0])
  })

  it('agree on which projects have one, where not all can', async () => {
    const [a, b] = servers
    for (const [handle, parts] of Object.entries({ x: 22, y: 23, z: 24 })) {
      await makeProject(a.ask, `ann/${handle}`, dimensions)
      await store((handle === 'y' ? b : a).ask, `ann/${handle}`, documents.slice(0, parts * part))
    }
    await untilQuiet()
    await untilQuiet()
    expect(await indexed()).toEqual({ both: true, z: true })
    expect(changes()).toEqual([2, 0, 0])
  })

  it('drop it once when the project is deleted or emptied through either, and build no other for it', async () => {
    const [a, b] = servers
    await remove(a, '/v1/projects/ann/both')
    await store(b.ask, 'ann/x', [{ text_id: 'one more', vector: documents[0]?.vector ?? [] }])
    await untilQuiet()
    expect(await indexed()).toEqual({ y: true, z: true })
    await remove(b, '/v1/embeddings/ann/z')
    await untilQuiet()
    expect(await indexed()).toEqual({ y: true, x: true })
    await Promise.all(servers.map(({ cleaner }) => cleaner.clean()))
    await untilQuiet()
    expect(await indexed()).toEqual({ y: true, x: true })
    expect(changes()).toEqual([4, 2, 0])
    expect(await modes('y')).toEqual(['approximate', 'approximate'])
  })
})

describe.skipIf(inject('engine') !== 'postgres')('a server that loses its connection', () => {
  it('does nothing more without the lock; another drops what it left and builds the index', async () => {
    const [a, b] = servers
    await remove(a, '/v1/projects/ann/x')
    await makeProject(a.ask, 'ann/lost', dimensions)
    await store(a.ask, 'ann/lost', documents)
    // Drops the other and measures this one.
    expect(await a.searchIndexes.reconcile()).toBe(true)
    // A build waits for transactions that may still write rows of before.
    const { looking, ended } = await first.database.bulk.transaction(async ({ db }) => {
      await db.execute(sql`lock table embeddings in row exclusive mode`)
      const looking = expect(a.searchIndexes.reconcile()).rejects.toThrow()
      const ended = await waitUntil(endBuild)
      return { looking, ended }
    })
    expect(ended).toBe(true)
    await looking
    expect(await indexed()).toEqual({ y: true, lost: false })
    expect(await broken()).toBe(1)
    expect(await modes('lost')).toEqual(['exact', 'exact'])
    await waitUntil(() => b.searchIndexes.reconcile())
    expect(await indexed()).toEqual({ y: true, lost: true })
    expect(await broken()).toBe(0)
    expect(await modes('lost')).toEqual(['approximate', 'approximate'])
  })
})

/** Ends the connection whose new index waits for writers here. @returns whether there was one */
async function endBuild(): Promise<boolean> {
  const [row] = await first.database.short.db
    .select({ ended: sql<boolean>`bool_or(pg_terminate_backend(pid))` })
    .from(sql`pg_stat_progress_create_index`)
    .where(sql`datname = current_database() and phase = 'waiting for writers before build'`)
  return row?.ended === true
}

describe('a server that starts', () => {
  it('changes nothing', async () => {
    const third = startBeside(first, settings)
    await waitUntil(() => third.searchIndexes.reconcile())
    expect(third.searchIndexes.tally).toEqual({ serving: 2, built: 0, failed: 0, dropped: 0 })
  })
})
