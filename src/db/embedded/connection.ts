import { messages, type PGlite, parse, protocol } from '@electric-sql/pglite'
import { LRUCache } from 'lru-cache'
import { errorCode } from '../errors.ts'
import type { EngineResult, EngineStatement } from './worker-client.ts'

const { serialize } = protocol
const { RowDescriptionMessage } = messages

/** Each prepared statement keeps a plan in the engine's memory. */
const maxPrepared = 200

/** The table has other columns now (0A000), or the statement is gone (26000). */
const outdated = new Set(['0A000', '26000'])

interface Prepared {
  readonly name: string
  /** The columns of its rows; undefined if it returns none. */
  readonly description: messages.RowDescriptionMessage | undefined
}

/**
 * Sends statements over the engine's wire protocol. PGlite's own `query` makes five calls for a
 * statement, each of which takes longer than a short statement needs altogether. Here it is one
 * call, and a statement with parameters is parsed and planned when it is first seen.
 */
export class Connection {
  readonly #pglite: PGlite
  readonly #parsers: PGlite['parsers']
  /** Prepared statements to close when the next one is prepared. */
  readonly #unused: string[] = []
  readonly #prepared = new LRUCache<string, Prepared>({
    max: maxPrepared,
    dispose: ({ name }) => this.#unused.push(name),
  })
  #lastName = 0

  /** @param parsers for types whose values must not be parsed as PGlite does */
  constructor(pglite: PGlite, parsers: PGlite['parsers']) {
    this.#pglite = pglite
    this.#parsers = { ...pglite.parsers, ...parsers }
  }

  /** @throws DatabaseError of PGlite */
  async run({ text, params, rowMode, blob }: EngineStatement): Promise<EngineResult> {
    if (blob !== undefined) return this.#copy(text, blob)
    if (params.length === 0) return this.#resultOf(await this.#send(serialize.query(text)), rowMode)
    const { name, description } = this.#prepared.get(text) ?? (await this.#prepare(text))
    const replies = await this.#send(
      serialize.bind({ statement: name, values: params.map(asText) }),
      serialize.execute({}),
      serialize.sync(),
    ).catch((error: unknown) => {
      if (outdated.has(errorCode(error) ?? '')) this.#prepared.delete(text)
      throw error
    })
    return this.#resultOf(description === undefined ? replies : [description, ...replies], rowMode)
  }

  /** Uses PGlite's query, which can pass on copied data. */
  async #copy(text: string, given: Uint8Array<ArrayBuffer>): Promise<EngineResult> {
    const blob = new Blob([given])
    const copying = this.#pglite.query(text, [], { blob }).catch(async (error: unknown) => {
      // PGlite keeps what a failed copy has written, and the next copy would begin with it.
      await this.#pglite._getWrittenBlob()
      throw error
    })
    const { rows, affectedRows = 0, ...result } = await copying
    const written = await result.blob?.arrayBuffer()
    return { rows, affectedRows, blob: written && new Uint8Array(written) }
  }

  async #prepare(text: string): Promise<Prepared> {
    this.#lastName += 1
    const name = `s${this.#lastName}`
    const replies = await this.#send(
      ...this.#unused.splice(0).map((unused) => serialize.close({ type: 'S', name: unused })),
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    )
    const description = replies.find((reply) => reply instanceof RowDescriptionMessage)
    const prepared = { name, description }
    this.#prepared.set(text, prepared)
    return prepared
  }

  #send(...requests: Uint8Array[]) {
    // The engine's files are in the folder itself, so nothing needs to be synced there.
    return this.#pglite.execProtocolStream(Buffer.concat(requests), { syncToFs: false })
  }

  #resultOf(replies: messages.BackendMessage[], rowMode: EngineStatement['rowMode']): EngineResult {
    const [result] = parse.parseResults(replies, this.#parsers, { rowMode })
    return { rows: result?.rows ?? [], affectedRows: result?.affectedRows ?? 0 }
  }
}

/** Values as text for the wire protocol. No parameter of ours is an array or an object. */
const asText = (value: unknown) =>
  value === null || value === undefined ? null : value instanceof Uint8Array ? value : `${value}`
