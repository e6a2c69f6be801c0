// The thread in which vectors are cached, so that comparing them does not delay other requests.
import { workerData } from 'node:worker_threads'
import { serveRequests } from '../../concurrency/serve-requests.ts'
import type { CacheMessage } from './cache-thread.ts'
import { CachedCollections } from './collections.ts'

const collections = new CachedCollections(workerData)

serveRequests((message: CacheMessage) => collections.answer(message))
