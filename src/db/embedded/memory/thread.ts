// The thread in which vectors are kept and compared, so that neither the database nor the HTTP side waits for it.
import { parentPort, workerData } from 'node:worker_threads'
import { compileDotProducts } from './dot-products.ts'
import { Loaded } from './loaded.ts'
import type { Reply, Request, ThreadOptions } from './messages.ts'
import { readRows } from './read-rows.ts'

/** Searches wait no longer than this for what is done besides. */
const sliceMs = 4

if (parentPort === null) throw new Error('Vectors are kept in a worker thread only')
const port = parentPort
const module = compileDotProducts()
const { exactBudget }: ThreadOptions = workerData
const loaded = new Map<number, Loaded>()
let isLearning = false

const send = (reply: Reply) => port.postMessage(reply)

function serve(request: Request): void {
  const { collectionId } = request
  const state = loaded.get(collectionId)
  switch (request.do) {
    case 'begin':
      loaded.set(collectionId, new Loaded(module, request.dimensions, request.revision))
      return
    case 'rows': {
      const rows = readRows(request.rows)
      for (const { textId, vector } of rows) state?.load(textId, vector)
      send({ id: request.id, count: rows.length, last: rows.at(-1)?.textId ?? '' })
      return
    }
    case 'complete':
      state?.complete()
      void learn()
      return
    case 'change':
      state?.change(request)
      void learn()
      return
    case 'drop':
      loaded.delete(collectionId)
      return
    case 'propose':
      send({ id: request.id, proposals: state?.propose(request) ?? 'none' })
  }
}

/** One collection after another, in the pauses between requests. */
async function learn(): Promise<void> {
  if (isLearning) return
  isLearning = true
  for (;;) {
    const next = [...loaded.values()].find((each) => each.needsShortlist(exactBudget))
    if (next === undefined) break
    await next.learnShortlist(createPause())
  }
  isLearning = false
}

function createPause() {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}

port.on('message', serve)
