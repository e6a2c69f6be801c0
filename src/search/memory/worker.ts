// The thread in which vectors are cached, so that comparing them does not delay other requests.
import { parentPort, workerData } from 'node:worker_threads'
import { CachedCollections } from './cached-collections.ts'
import type { CacheMessage, CacheOptions, CacheReply } from './messages.ts'

if (parentPort === null) throw new Error('Vectors are cached in a worker thread only')
const port = parentPort
const { exactBudget }: CacheOptions = workerData
const cached = new CachedCollections(exactBudget)

port.on('message', (message: CacheMessage) => {
  switch (message.do) {
    case 'candidates': {
      const reply: CacheReply = {
        id: message.id,
        found: cached.candidates(message.state, message.request),
      }
      return port.postMessage(reply)
    }
    case 'begin':
      return cached.begin(message.collectionId, message.dimensions, message.revision)
    case 'load':
      return cached.load(message.collectionId, message.rows)
    case 'complete':
      return cached.complete(message.collectionId)
    case 'change':
      return cached.change(message)
    case 'begin mask':
      return cached.beginMask(message.collectionId, message.key)
    case 'fill mask':
      return cached.fillMask(message.collectionId, message.key, message.textIds)
    case 'drop':
      return cached.drop(message.collectionId)
  }
})
