/*
 * One connection has no second transaction to keep an old state in, and a long one would keep
 * everybody else waiting. So while a snapshot is read, triggers copy the old rows that a statement
 * changes or deletes into a temporary table, and note there which rows it adds. The snapshot takes
 * the rows in that table from there. Triggers of a process that was killed are dropped at the next
 * start: see `dropTriggers`.
 */

export const prefix = 'snapshot_of_rows_'

/** Drops triggers that nobody needs any more. It also works if there is no table yet. */
export const dropTriggers = `do $$
declare found record;
begin
  for found in select tgname, tgrelid::regclass as of from pg_trigger where tgname like '${prefix.replaceAll('_', '\\_')}%' loop
    execute format('drop trigger %I on %s', found.tgname, found.of);
  end loop;
end $$`

export const keptColumns = 'created_at, vector_dim, vector, metadata, text'
const events = [
  ['insert', 'referencing new table as changed'],
  ['update', 'referencing old table as changed'],
  ['delete', 'referencing old table as changed'],
] as const

export function* beginning(name: string, collectionId: number): Generator<string> {
  yield `create temporary table ${name} (
    text_id text collate "C" primary key, existed boolean not null, created_at timestamptz,
    vector_dim integer, vector vector, metadata jsonb, text text)`
  // The first change of a row decides what the row was, so later ones are ignored.
  yield `create function pg_temp.${name}() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into pg_temp.${name} (text_id, existed)
      select text_id, false from changed where collection_id = ${collectionId}
      on conflict do nothing;
  else
    insert into pg_temp.${name} (text_id, existed, ${keptColumns})
      select text_id, true, ${keptColumns} from changed where collection_id = ${collectionId}
      on conflict do nothing;
  end if;
  return null;
end $$`
  for (const [event, referencing] of events) {
    yield `create trigger ${name}_${event} after ${event} on embeddings ${referencing}
      for each statement execute function pg_temp.${name}()`
  }
}
