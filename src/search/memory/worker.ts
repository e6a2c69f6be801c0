// The thread in which vectors are cached, so that comparing them does not delay other requests.
import { workerData } from 'node:worker_threads'
import { serveRequests } from '../../concurrency/serve-requests.ts'
import type { CacheMessage, CacheOptions, CacheReply } from './cache-thread.ts'
import { CachedCollections } from './collections.ts'

const { exactBudget }: CacheOptions = workerData
const collections = new CachedCollections(exactBudget)

serveRequests((message: CacheMessage): CacheReply | Promise<CacheReply> => {
  if ('folder' in message) return collections.file(message).catch(() => 'gone')
  if (message.do === 'scale' || message.do === 'diversify') {
    return collections.sliced(message).catch(() => 'gone')
  }
  return collections.answer(message)
})
