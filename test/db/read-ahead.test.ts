import { describe, expect, it, onTestFinished } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import { PostgresPool } from '../../src/db/postgres/pool.ts'
import { createEmbeddings } from '../../src/embeddings/embeddings.ts'
import { MetadataSchemes } from '../../src/metadata-schemes/metadata-schemes.ts'
import { hashKey } from '../../src/secrets/keys.ts'
import { adminKey, testApp } from '../support/app.ts'
import { embedding, newProject, newUser, type Project, upload } from '../support/factories.ts'
import { isOnCitus, postgresOfRun } from '../support/servers/postgres-place.ts'

async function projectWith(vector: number[]): Promise<Project> {
  const project = await newProject()
  await upload(project, embedding('same', vector))
  return project
}

async function reading() {
  const { database, vectorCache, searchIndexes } = await testApp()
  const access = createAccess(database, hashKey(adminKey))
  const embeddings = createEmbeddings(
    database,
    vectorCache,
    new MetadataSchemes(),
    searchIndexes,
    () => {},
  )
  const targetOf = ({ owner, handle }: Project) => ({ owner: owner.handle, handle })
  return {
    ahead: (project: Project, textId = 'same', { key } = project.owner) =>
      embeddings.readAhead(targetOf(project), textId, hashKey(key)),
    get: async (project: Project, ahead: Awaited<ReturnType<typeof embeddings.readAhead>>) => {
      const { thing } = await access.project(hashKey(adminKey), targetOf(project))
      if (thing === undefined) throw new Error('no project')
      return JSON.parse((await embeddings.get(thing, ['same'], ahead)).text).vector
    },
  }
}

// On Citus nothing is: without a collection it would ask all workers.
describe.skipIf(isOnCitus())('an embedding that was read before it is known who asks', () => {
  it('is the answer where it is of the project', async () => {
    const { ahead, get } = await reading()
    const project = await projectWith([1, 2, 3])
    const row = await ahead(project)
    expect(row).toMatchObject({ textId: 'same', vector: '[1,2,3]' })
    expect(await get(project, row)).toEqual([1, 2, 3])
  })

  it('is of the caller, or public: for others nothing is read', async () => {
    const { ahead } = await reading()
    const [project, other] = [await projectWith([1, 2, 3]), await newUser()]
    expect(await ahead(project, 'same', other)).toBeUndefined()
    const open = await newProject({ public_read: true })
    await upload(open, embedding('same', [1, 2, 3]))
    expect(await ahead(open, 'same', other)).toMatchObject({ textId: 'same' })
  })

  it('is not where another project has had its name meanwhile, or it is another one', async () => {
    const { ahead, get } = await reading()
    const [project, other] = [await projectWith([1, 2, 3]), await projectWith([4, 5, 6])]
    await upload(project, embedding('different', [7, 8, 9]))
    expect(await get(project, await ahead(other))).toEqual([1, 2, 3])
    expect(await get(project, await ahead(project, 'different'))).toEqual([1, 2, 3])
    expect(await get(project, await ahead(project, 'missing'))).toEqual([1, 2, 3])
  })
})

const place = postgresOfRun()

describe.skipIf(place === undefined)('reads that are sent together', () => {
  function newPool(): PostgresPool {
    if (place === undefined) throw new Error('no server')
    const pool = new PostgresPool(place, {
      connections: 3,
      queueTimeoutMs: 5_000,
      statementMs: 5_000,
    })
    onTestFinished(() => pool.close())
    return pool
  }
  const results = (pool: PostgresPool, ...texts: string[]) =>
    Promise.allSettled(pool.together(() => texts.map((text) => pool.db.execute(text).execute())))

  it('have results of their own, on one connection, also the first time', async () => {
    const pool = newPool()
    const select = 'select $1::int as n, pg_backend_pid() as pid'
    for (const round of [1, 2]) {
      const texts = [1, 2, 3].map((n) => select.replace('$1', `${n * round}`))
      const pids = new Set<unknown>()
      const found = await results(pool, ...texts)
      for (const [index, result] of found.entries()) {
        if (result.status === 'rejected') throw result.reason
        const [row] = Object.values(result.value)
        expect(row).toMatchObject({ n: (index + 1) * round })
        pids.add(Object(row).pid)
      }
      expect(pids.size).toBe(1)
    }
  })

  it('do not wait for those behind them', async () => {
    const pool = newPool()
    const [first, second] = pool.together(() => [
      pool.db.execute('select 1').execute(),
      pool.db.execute('select 2 from pg_sleep(1)').execute(),
    ])
    const ended: number[] = []
    await Promise.all([first.then(() => ended.push(1)), second.then(() => ended.push(2))])
    expect(ended).toEqual([1, 2])
  })

  it('fail together with one before them, and leave a pool that works', async () => {
    const pool = newPool()
    const rows = 'select 1 / (3 - n) as n from generate_series(1, 5) n'
    const statuses = (found: PromiseSettledResult<unknown>[]) => found.map(({ status }) => status)
    expect(statuses(await results(pool, 'select 1', rows, 'select 2'))).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(statuses(await results(pool, 'select 1', 'select 2'))).toEqual([
      'fulfilled',
      'fulfilled',
    ])
  })

  it('are not begun where nothing was, and pass on what begins them throws', async () => {
    const pool = newPool()
    expect(pool.together(() => 'nothing')).toBe('nothing')
    const fail = () => {
      throw new Error('before any')
    }
    expect(() => pool.together(fail)).toThrow('before any')
    expect(await pool.db.execute('select 1 as n')).toMatchObject([{ n: 1 }])
  })
})
