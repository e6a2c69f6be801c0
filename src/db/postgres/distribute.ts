import { eq, sql } from 'drizzle-orm'
import { StartupError } from '../../errors.ts'
import { pgClass, pgExtension, pgIndex } from '../catalog.ts'
import { evaluate, oneRow } from '../columns.ts'
import type { Database, Db, Transaction } from '../database.ts'
import { commitLock, commitMarker, isDistributed } from '../distributed.ts'
import { ownNames } from '../index-name.ts'
import { searchPath } from '../pgvector.ts'
import { collections } from '../schema.ts'
import { acquireStartupLock } from '../startup-locks.ts'
import { refuseServers } from './other-servers.ts'
import { onWorkers } from './run-time-parameters.ts'

/*
 * Embeddings are on the workers of a Citus cluster, each collection on one of them. Everything else
 * stays in plain tables of the coordinator, because every request begins with joins of them
 * (bench/measured/citus.md has measurements of the alternatives).
 */

/** It refers to a table that no worker has. The cleaner deletes rows before their collection. */
const foreignKey = sql.raw('embeddings_collection_id_collections_collection_id_fk')

/**
 * Distributes embeddings over the workers, unless they already are, and brings the workers'
 * settings up to date. Everything is moved in one transaction, so an interrupted run leaves no
 * trace and can be started again.
 * @param shards how many tables there will be on all workers together
 * @returns the number of shards and of workers
 * @throws StartupError if a worker refuses its settings
 */
export async function distribute(database: Database, shards: number) {
  const { db } = database.short
  if (!(await isDistributed(db))) await move(database, shards)
  await database.maintenance.session(async (session) => {
    await session.execute(sql`select truncate_local_data_after_distributing_table('embeddings')`)
    await setOnWorkers(session)
  })
  return {
    shards: (await evaluate(db, shardCount)) ?? 0,
    workers: (await evaluate(db, workerCount)) ?? 0,
  }
}

const shardCount = sql`(
  select count(*) from pg_dist_shard where logicalrelid = 'embeddings'::regclass)`.mapWith(Number)

const workerCount = sql`(
  select count(*) from pg_dist_node
  where groupid <> 0 and isactive and shouldhaveshards and noderole = 'primary')`.mapWith(Number)

/** @throws StartupError if embeddings cannot be distributed */
export async function refuseUnfit({ engine, short: { db } }: Database): Promise<void> {
  if (engine === 'embedded') {
    throw new StartupError(
      'the embedded database cannot be distributed; name a PostgreSQL with Citus in the SERVICE_DB* settings',
    )
  }
  const citus = await db.$count(pgExtension, sql`${pgExtension.name} = 'citus'`)
  if (citus === 0) {
    throw new StartupError(
      'the database has no extension citus; add it to shared_preload_libraries on all nodes, run "CREATE EXTENSION citus" in SERVICE_DBNAME on each, and citus_add_node on the coordinator',
    )
  }
  const [node] = await db
    .select({
      isWorker: sql<boolean>`(select groupid <> 0 from pg_dist_local_group)`,
      isNamed: sql<boolean>`exists (select from pg_dist_node where groupid = 0)`,
      workers: workerCount,
    })
    .from(oneRow)
  if (node?.isWorker) {
    throw new StartupError(
      'this is a worker of a Citus cluster; name its coordinator in SERVICE_DBHOST and SERVICE_DBPORT',
    )
  }
  if (!node?.isNamed) {
    throw new StartupError(
      'the coordinator does not know its own address; run "SELECT citus_set_coordinator_host(…)" in SERVICE_DBNAME',
    )
  }
  if (node.workers === 0) {
    throw new StartupError(
      'the coordinator has no workers; run "SELECT citus_add_node(…)" in SERVICE_DBNAME for each',
    )
  }
  // A server finds out only at its start that embeddings are distributed.
  if (!(await isDistributed(db))) await refuseServers(db)
}

const startupLockMs = 60_000

const move = (database: Database, shards: number) =>
  database.maintenance.transaction(async (tx) => {
    // A server that starts meanwhile waits, and finds out afterwards.
    if (!(await acquireStartupLock(tx.db, startupLockMs))) {
      throw new StartupError('a server has been starting on this database for a minute; stop it')
    }
    await tx.db.execute(sql`lock table embeddings, collections in access exclusive mode`)
    // Another process may have been quicker.
    if (await isDistributed(tx.db)) return
    await dropSearchIndexes(tx)
    await tx.db.execute(sql`alter table embeddings drop constraint if exists ${foreignKey}`)
    await tx.db.execute(
      sql`select set_config('citus.shard_count', ${`${shards}`}, true),
        set_config('citus.multi_shard_modify_mode', 'sequential', true)`,
    )
    await tx.db.execute(sql`select create_distributed_table('embeddings', 'collection_id')`)
    await commitInTwoPhases(tx.db)
  })

/** Drops indexes, which would be built anew in this transaction. They are built later. */
async function dropSearchIndexes({ db }: Transaction): Promise<void> {
  const indexes = await db
    .select({ name: pgClass.name })
    .from(pgIndex)
    .innerJoin(pgClass, eq(pgClass.oid, pgIndex.indexOid))
    .where(sql`${pgIndex.tableOid} = 'embeddings'::regclass and ${pgClass.name} ~ ${ownNames}`)
  for (const { name } of indexes) await db.execute(sql`drop index ${sql.identifier(name)}`)
  await db.update(collections).set({ searchIndex: null })
}

/**
 * Without this, a worker's part of a transaction would be committed before the coordinator's, and
 * stay if that failed: Citus considers only tables that it knows, and it does not know
 * `collections`. Whoever counts a change also holds a lock until all of the change is visible on
 * the worker, a moment after the count. `allVisible` waits for that lock.
 */
async function commitInTwoPhases(db: Db): Promise<void> {
  await db.execute(sql`create table ${commitMarker} (nothing integer)`)
  await db.execute(sql`select citus_add_local_table_to_metadata('${commitMarker}')`)
  await db.execute(sql`
    create function distributed_commit() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(${commitLock(sql`new.collection_id`)});
      delete from ${commitMarker};
      return null;
    end $$`)
  await db.execute(sql`
    create trigger distributed_commit after update on collections for each row
    when (old.vectors <> new.vectors or old.revision <> new.revision)
    execute function distributed_commit()`)
}

/** Workers do not see what a session sets, so what the service relies on is made their default. */
async function setOnWorkers(db: Db): Promise<void> {
  const each = Object.entries(onWorkers).map(
    ([name, value]) => `alter database %1$I set ${name} = ''${value}''`,
  )
  // A statement that builds an index there names parts of pgvector, whatever schema has them.
  const path = 'alter database %1$I set search_path = %2$s'
  const commands = ['set local citus.enable_ddl_propagation = off', path, ...each].join('; ')
  const failed = await db
    .select({ node: sql<string>`concat_ws(':', nodename, nodeport)`, reason: sql<string>`result` })
    .from(sql`run_command_on_workers(
      format('${sql.raw(commands)}', current_database(), ${sql.raw(searchPath)}))`)
    .where(sql`not success`)
  const [first] = failed
  if (first === undefined) return
  throw new StartupError(
    `the worker ${first.node} refuses settings for its database: ${first.reason}`,
  )
}
