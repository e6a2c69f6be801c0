// The embedded engine's own thread, so that a long scan or a bulk load never stops the HTTP side.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, types } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { Connection } from './connection.ts'
import { Keeper } from './memory/keeper.ts'
import type { Failure, Question, Reply, Request, Result, Told, WorkerOptions } from './messages.ts'
import { PrivateFiles } from './private-files.ts'

const asText = (value: string) => value
// As Drizzle's own PGlite driver has it: its columns parse these types from text.
const parsers = Object.fromEntries(
  [types.TIMESTAMP, types.TIMESTAMPTZ, types.INTERVAL, types.DATE].map((type) => [type, asText]),
)

// PGlite decodes value by value, and a decoder as it comes drops a byte order mark at the start.
globalThis.TextDecoder = class extends TextDecoder {
  constructor(label = 'utf-8', options: ConstructorParameters<typeof TextDecoder>[1] = {}) {
    super(label, { ignoreBOM: true, ...options })
  }
}

/**
 * PGlite's 128 MB would be resident from the start, since the engine clears them. More than this makes
 * nothing faster: the pages of files are in the memory of the system too, and vectors in that of the keeper.
 */
const sharedBuffers = '32MB'

if (parentPort === null) throw new Error('The embedded engine runs in a worker thread only')
const port = parentPort
const send = (reply: Reply) => port.postMessage(reply)
const { dataDir, exactBudget }: WorkerOptions = workerData
const pglite = await PGlite.create({
  ...(dataDir === undefined ? {} : { fs: new PrivateFiles(dataDir, () => send('no-room')) }),
  extensions: { vector },
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
})
const connection = new Connection(pglite, parsers)
const keeper = new Keeper(exactBudget)

async function resultOf(question: Question): Promise<Result> {
  if ('statement' in question) return connection.run(question.statement)
  if ('copy' in question) {
    const copied = keeper.load(question.collectionId, await connection.copyOut(question.copy))
    return { rows: [], affectedRows: 0, copied }
  }
  const { kept, wish, rank } = question
  const proposals = keeper.propose(kept, wish)
  if (typeof proposals === 'string') return { rows: [], affectedRows: 0, ranked: proposals }
  const { textIds, ...ranked } = proposals
  const params = rank.params.with(rank.idsAt, JSON.stringify(textIds))
  return { ...(await connection.run({ text: rank.text, params, rowMode: 'array' })), ranked }
}

function hear(told: Told): void {
  switch (told.do) {
    case 'begin':
      keeper.begin(told.collectionId, told.dimensions, told.revision)
      break
    case 'complete':
      keeper.complete(told.collectionId)
      break
    case 'change':
      keeper.change(told)
      break
    case 'drop':
      keeper.drop(told.collectionId)
  }
}

async function answer(id: number, question: Question): Promise<Reply> {
  try {
    return { id, ...(await resultOf(question)) }
  } catch (error) {
    // PGlite's own errors have all of these; of others, such as a WASM trap's, some are undefined.
    const { message, code, severity, constraint, detail } = error as Failure
    return { id, failure: { message, code, severity, constraint, detail } }
  }
}

port.on('message', async (request: Request) => {
  if (request !== 'close') {
    if ('tell' in request) return hear(request.tell)
    return send(await answer(request.id, request))
  }
  await pglite.close()
  process.exit(0)
})
send('ready')
