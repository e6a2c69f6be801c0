import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../src/db/database.ts'
import { createLog, type Log } from '../../../src/log.ts'
import { decodedText } from '../decoded-text.ts'
import { Secrets, secretsIn } from './secrets.ts'

interface Requestable {
  request(input: string | Request | URL, init?: RequestInit): Response | Promise<Response>
}

/** Larger bodies are those of uploads. */
const maxCollected = 1_000_000

/** The only answers that hold a key: its user's, when it is issued or asked for by PUT. */
const withKey =
  /^(POST \/v1\/users|PUT \/v1\/users\/[^/]+|POST \/v1\/users\/[^/]+\/(rotate-key|keys|keys\/[^/]+\/rotate))$/

/** Learns the secrets that pass, and fails as soon as one is seen where none may be. */
export class SecretWatch {
  readonly secrets = new Secrets()
  readonly searched = { answers: 0, 'log lines': 0, rows: 0, files: 0 }
  readonly #leaks: string[] = []
  readonly #lastSearches: (() => Promise<void>)[] = []
  /** The oldest transaction that may still have gone on at the last search for rows. */
  #searchedUpTo = 0

  /** Has more searched at the end of this file, and of those after it. */
  atEndOfFile(search: () => Promise<void>): void {
    this.#lastSearches.push(search)
  }

  async endFile(): Promise<void> {
    for (const search of this.#lastSearches) await search()
    this.expectNoLeaks()
  }

  /** @throws when anything has leaked, also where the failure of then was not noticed */
  expectNoLeaks(): void {
    if (this.#leaks.length > 0) throw new Error(`secrets leaked into ${this.#leaks.join('\n')}`)
  }

  /**
   * The same app, with all of its exchanges watched.
   * @param learns false where requests hold as secrets what other fields have as well
   */
  app<App extends Requestable>(app: App, learns = true): App {
    const ask = app.request
    app.request = async (input, init, ...rest: []) => {
      if (learns) this.#learnFrom(init)
      const response = await ask(input, init, ...rest)
      const { pathname } = new URL(String(input), 'http://localhost')
      // Node 20.19.2 loses the body of an answer when its clone is collected as garbage.
      const body = response.body === null ? null : await response.arrayBuffer()
      const copy = () => new Response(body, response)
      this.answer(init?.method ?? 'GET', pathname, response, await decodedText(copy()))
      return copy()
    }
    return app
  }

  #learnFrom({ headers, body }: RequestInit = {}): void {
    const credential = new Headers(headers).get('authorization') ?? ''
    for (const [key] of credential.matchAll(/smb_[\w-]{8,}/gi)) this.secrets.add(key)
    const text = textOf(body)
    if (text.length > maxCollected) return
    for (const secret of secretsIn(text)) this.secrets.add(secret)
  }

  answer(
    method: string,
    path: string,
    { ok, headers }: Pick<Response, 'ok' | 'headers'>,
    text: string,
  ): void {
    this.searched.answers += 1
    const mayHoldKey = ok && withKey.test(`${method} ${path}`)
    const issued = mayHoldKey ? /"api_key":"([^"]+)"/.exec(text)?.[1] : undefined
    if (issued !== undefined) this.secrets.addIssued(issued)
    const found = this.secrets.findShownIn(text + JSON.stringify([...headers]), issued)
    this.#refuse(`the answer of ${method} ${path}`, found)
  }

  /** A log whose lines are searched, and that keeps all but errors to itself. */
  log(): Log {
    const write = (line: string) => {
      this.output('the log', line)
      if (line.startsWith('{"level":"error"')) process.stderr.write(line)
    }
    return createLog(true, { write })
  }

  /** What a log or a process has printed. */
  output(what: string, text: string): void {
    this.searched['log lines'] += text.split('\n').length - 1
    this.#refuse(what, this.secrets.findShownIn(text))
  }

  /** All tables as a dump has them, where secrets are sealed; embeddings without their vectors. */
  async tables({ short: { db } }: Pick<Database, 'short'>, sinceTransaction = 0): Promise<void> {
    const tables = await db
      .select({ schema: sql<string>`schemaname`, name: sql<string>`tablename` })
      .from(sql`pg_tables`)
      .where(sql`schemaname <> 'information_schema' and schemaname not like 'pg\\_%'`)
    for (const { schema, name } of tables) {
      const row =
        name === 'embeddings' ? sql`concat_ws(' ', text_id, metadata, text)` : sql`t::text`
      const rows = await db
        .select({ text: sql<string>`${row}` })
        .from(sql`${sql.identifier(schema)}.${sql.identifier(name)} as t`)
        .where(sql`t.xmin::text::bigint >= ${sinceTransaction}`)
      this.rows(name, rows)
    }
  }

  /**
   * The rows of all tables that were written since the last time: no secret can be in a row that was
   * written before it was known.
   */
  async newRows(database: Pick<Database, 'short'>): Promise<void> {
    const [row] = await database.short.db
      .select({ oldest: sql`pg_snapshot_xmin(pg_current_snapshot())::text`.mapWith(Number) })
      .from(sql`(select) as one_row`)
    await this.tables(database, this.#searchedUpTo)
    this.#searchedUpTo = row?.oldest ?? 0
  }

  rows(table: string, rows: readonly { readonly text: string }[]): void {
    this.searched.rows += rows.length
    const found = this.secrets.findIn(rows.map(({ text }) => text).join('\n'))
    this.#refuse(`table ${table}`, found)
  }

  /** The bytes of all files below a folder. */
  async files(folder: string): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = join(entry.parentPath, entry.name)
      this.searched.files += 1
      this.#refuse(file, this.secrets.findInBytes(await readFile(file)))
    }
  }

  /** Notes what was found for the end, and fails at once. */
  #refuse(where: string, found: readonly string[]): void {
    if (found.length === 0) return
    const leak = `${where}: ${[...new Set(found)].join(', ')}`
    this.#leaks.push(leak)
    throw new Error(`a secret leaked into ${leak}`)
  }
}

function textOf(body: RequestInit['body']): string {
  if (typeof body === 'string') return body
  if (!(body instanceof Uint8Array) || body.length > maxCollected) return ''
  if (body[0] !== 0x1f || body[1] !== 0x8b) return Buffer.from(body).toString()
  try {
    return gunzipSync(body, { maxOutputLength: maxCollected }).toString()
  } catch {
    return ''
  }
}

/** Watches over all tests of this worker. */
export const watch = new SecretWatch()
