// The thread of the embedded engine, so that a long scan or a bulk load never blocks the HTTP side.
import { workerData } from 'node:worker_threads'
import { PGlite, types } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { notify, serveRequests } from '../../concurrency/serve-requests.ts'
import { syncTree } from '../../durable-files.ts'
import { Connection } from './connection.ts'
import { PrivateFiles } from './private-files.ts'
import type {
  EngineNotice,
  EngineReply,
  EngineRequest,
  Failure,
  WorkerOptions,
} from './worker-client.ts'

const asText = (value: string) => value
// Drizzle's own PGlite driver does this too: its columns parse these types from text.
const parsers = Object.fromEntries(
  [types.TIMESTAMP, types.TIMESTAMPTZ, types.INTERVAL, types.DATE].map((type) => [type, asText]),
)

// PGlite decodes value by value, and a default decoder drops a byte order mark at the start.
globalThis.TextDecoder = class extends TextDecoder {
  constructor(label = 'utf-8', options: ConstructorParameters<typeof TextDecoder>[1] = {}) {
    super(label, { ignoreBOM: true, ...options })
  }
}

/**
 * PGlite's 128 MB would be resident from the start, because the engine clears them. More than this
 * makes nothing faster, because the system keeps the pages of files in memory too.
 */
const sharedBuffers = '32MB'

const tell = (notice: EngineNotice) => notify(notice)
/** Ends the thread in mid-work: PGlite would take a thrown error for the end of a statement. */
function endEngine({ message, cause }: Error): never {
  tell({ endedBy: `${message}: ${cause}` })
  process.exit(1)
}
const { dataDir, durability }: WorkerOptions = workerData
const isDurable = dataDir !== undefined && durability === 'full'
// What a killed engine, a relaxed one or an older version has left counts as stored from now on.
if (isDurable) await syncTree(dataDir)
tell('synced')
/**
 * By PGlite's default the engine never syncs. The usual method, fdatasync, does nothing in
 * Emscripten.
 */
const syncing = { fsync: isDurable ? 'on' : 'off', wal_sync_method: 'fsync' }
const settings = { shared_buffers: sharedBuffers, ...syncing }
/** The last error that the engine reported as fatal. */
let fatal: string | undefined
const pglite = await PGlite.create({
  onStderr: (line) => {
    fatal = /(?:FATAL|PANIC): +(.*)/.exec(line)?.[1] ?? fatal
    return false
  },
  ...(dataDir !== undefined && {
    fs: new PrivateFiles(dataDir, () => tell('no-room'), endEngine),
  }),
  extensions: { vector },
  startParams: [
    ...PGlite.defaultStartParams,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ],
}).catch((cause) => {
  throw fatal === undefined ? cause : new Error(fatal)
})
const connection = new Connection(pglite, parsers)

async function answer(request: EngineRequest): Promise<EngineReply> {
  if (request === 'close') {
    await pglite.close()
    process.exit(0)
  }
  try {
    return await connection.run(request)
  } catch (error) {
    // PGlite's own errors have all of these; others, such as a WASM trap, lack some.
    const { message, code, severity, constraint, detail } = error as Failure
    return { failure: { message, code, severity, constraint, detail } }
  }
}

serveRequests(answer, {
  transfer: (reply) => ('blob' in reply && reply.blob !== undefined ? [reply.blob.buffer] : []),
})
