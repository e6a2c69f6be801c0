// The embedded engine's own thread, so that a long scan or a bulk load never stops the HTTP side.
// JavaScript, because the runtime loads it by itself, also when the program runs from its sources.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, types } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'

/**
 * @typedef {{ dataDir: string | undefined }} WorkerData
 * @typedef {{ id: number, text: string, params: unknown[], rowMode: 'array' | 'object', blob: Uint8Array<ArrayBuffer> | undefined }} Request
 * @typedef {{ message: string, code: string | undefined, constraint: string | undefined, detail: string | undefined }} Failure
 * @typedef {{ id: number, rows: unknown[], affectedRows: number }
 *   | { id: number, failure: Failure }} Reply
 */

const asText = (/** @type {string} */ value) => value
// As Drizzle's own PGlite driver has it: its columns parse these types from text.
const parsers = Object.fromEntries(
  [types.TIMESTAMP, types.TIMESTAMPTZ, types.INTERVAL, types.DATE].map((type) => [type, asText]),
)

// PGlite decodes value by value, and a decoder as it comes drops a byte order mark at the start.
globalThis.TextDecoder = class extends TextDecoder {
  /** @type {(label?: string, options?: TextDecoderOptions) => void} */
  constructor(label = 'utf-8', options = {}) {
    super(label, { ignoreBOM: true, ...options })
  }
}

if (parentPort === null) throw new Error('worker.js runs in a worker thread only')
const port = parentPort
/** @type {WorkerData} */
const { dataDir } = workerData
const pglite = await PGlite.create({
  ...(dataDir === undefined ? {} : { dataDir }),
  extensions: { vector },
})

/** @type {(request: Request) => Promise<Reply>} */
async function answer({ id, text, params, rowMode, blob }) {
  try {
    const options = { rowMode, parsers, ...(blob === undefined ? {} : { blob: new Blob([blob]) }) }
    const { rows, affectedRows = 0 } = await pglite.query(text, params, options)
    return { id, rows, affectedRows }
  } catch (error) {
    const { message, code, constraint, detail } = /** @type {Failure} */ (error)
    return { id, failure: { message, code, constraint, detail } }
  }
}

port.on('message', async (/** @type {Request | 'close'} */ request) => {
  if (request !== 'close') return port.postMessage(await answer(request))
  await pglite.close()
  process.exit(0)
})
port.postMessage('ready')
