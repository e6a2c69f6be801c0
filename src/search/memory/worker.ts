// The thread in which vectors are cached, so that comparing them does not delay other requests.
import { workerData } from 'node:worker_threads'
import { serveRequests } from '../../concurrency/serve-requests.ts'
import { CachedCollections } from './cached-collections.ts'
import type { CacheMessage, CacheOptions } from './messages.ts'

const { exactBudget }: CacheOptions = workerData
const cached = new CachedCollections(exactBudget)

serveRequests((message: CacheMessage) => {
  switch (message.do) {
    case 'candidates':
      return cached.candidates(message.state, message.request)
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
