import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LimiterLoad } from '../../concurrency/limiter.ts'
import type { Database } from '../../db/database.ts'
import type { RequestRecorder } from '../../http/observe.ts'
import type { SearchIndexes } from '../../search/index/search-indexes.ts'
import type { VectorCache } from '../../search/memory/vector-cache.ts'
import type { FoundRanking } from '../../search/search.ts'
import type { WordCache } from '../../search/words/word-cache.ts'
import { version } from '../../version.ts'
import { watchStored } from './stored.ts'
import { type MetricTable, readSeldom, watch } from './watch.ts'

interface Upload {
  /** The size of the body after decompression. */
  readonly bytes: number
  readonly embeddings: number
}

export type Metrics = ReturnType<typeof createMetrics>

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Watched {
  readonly database: Database
  readonly searchIndexes: SearchIndexes
  readonly vectorCache: VectorCache
  readonly wordCache: WordCache
  /** Added to every metric. */
  readonly labels: Readonly<Record<string, string>>
}

/** Metrics of this process for Prometheus. Nothing is sent anywhere. */
export function createMetrics(watched: Watched) {
  const { database, searchIndexes, vectorCache, wordCache, labels } = watched
  const registry = new Registry()
  registry.setDefaultLabels(labels)
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const { requests, searches, uploadBytes, uploadEmbeddings, inFlight } = recorders(registers)
  new Gauge({
    name: 'semblance_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'engine'],
    registers,
  }).set({ version, engine: database.engine }, 1)
  const look = readSeldom(() => searchIndexes.look(), 1_000)
  watch(registers, pools, () => database.load(), 'pool')
  watch(registers, indexes, () => look().then(() => searchIndexes))
  watch(registers, indexChanges, () => searchIndexes, 'change')
  watch(registers, vectors, () => vectorCache.usage())
  watch(registers, words, () => wordCache.usage())
  watchStored(database, registers)

  return {
    contentType: registry.contentType,
    /** All metrics in Prometheus' text format. */
    text: () => registry.metrics(),
    requests: {
      begin: () => inFlight.inc(),
      end({ method, route, status, ms }): void {
        inFlight.dec()
        requests.observe({ method, route, status }, ms / 1000)
      },
    } satisfies RequestRecorder,
    uploaded({ bytes, embeddings }: Upload): void {
      uploadBytes.observe(bytes)
      uploadEmbeddings.observe(embeddings)
    },
    searched: ({ mode, strategy }: Pick<FoundRanking, 'mode' | 'strategy'>) =>
      searches.inc({ mode, strategy }),
  }
}

/** Metrics that are recorded as events happen. */
const recorders = (registers: Registry[]) => ({
  requests: new Histogram({
    name: 'semblance_http_request_duration_seconds',
    help: 'Time until the answer was ready, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: seconds,
    registers,
  }),
  searches: new Counter({
    name: 'semblance_searches_total',
    help: 'Searches by mode, exact or approximate, and by strategy.',
    labelNames: ['mode', 'strategy'],
    registers,
  }),
  uploadBytes: new Histogram({
    name: 'semblance_upload_bytes',
    help: 'Bodies of stored uploads, after decompression.',
    buckets: [1e3, 1e4, 1e5, 1e6, 4e6, 16e6, 64e6],
    registers,
  }),
  uploadEmbeddings: new Histogram({
    name: 'semblance_upload_embeddings',
    help: 'Embeddings of stored uploads.',
    buckets: [1, 10, 100, 1_000, 10_000],
    registers,
  }),
  inFlight: new Gauge({
    name: 'semblance_http_requests_in_flight',
    help: 'Requests that are being worked on.',
    registers,
  }),
})

type Loads = ReturnType<Database['load']>
/** Of each pool, by its name. */
const inPools =
  (field: keyof LimiterLoad, unit = 1) =>
  (loads: Loads) =>
    Object.fromEntries(Object.entries(loads).map(([pool, load]) => [pool, load[field] * unit]))

const pools: MetricTable<Loads> = {
  semblance_pool_connections: ['Connections that a pool may have.', inPools('maxConcurrent')],
  semblance_pool_in_use: ['Connections that are in use.', inPools('running')],
  semblance_pool_waiting: [
    'Statements and transactions that wait for a connection.',
    inPools('queued'),
  ],
  semblance_pool_waits_total: ['Times that a connection was waited for.', inPools('waits')],
  semblance_pool_wait_seconds_total: [
    'Time spent waiting for a connection.',
    inPools('waitedMs', 1e-3),
  ],
  semblance_pool_refused_total: ['Refused with 503 for want of a connection.', inPools('refused')],
}

const indexes: MetricTable<SearchIndexes> = {
  semblance_search_indexes: ['Search indexes in use.', ({ tally }) => tally.serving],
}
const indexChanges: MetricTable<SearchIndexes> = {
  semblance_search_index_changes_total: [
    'Search indexes built, dropped, or failed to build.',
    ({ tally: { built, dropped, failed } }) => ({ built, dropped, failed }),
  ],
}

const vectors: MetricTable<ReturnType<VectorCache['usage']>> = {
  semblance_vector_memory_max_bytes: [
    'Bytes that vectors in memory may take.',
    ({ maxBytes }) => maxBytes,
  ],
  semblance_vector_memory_bytes: [
    'Bytes of vectors in memory.',
    ({ held }) => held.reduce((sum, { bytes }) => sum + bytes, 0),
  ],
  semblance_vector_memory_projects: [
    'Projects whose vectors are in memory; those that are being read are not counted.',
    ({ held }) => held.filter(({ isReady }) => isReady).length,
  ],
}

const words: MetricTable<ReturnType<WordCache['usage']>> = {
  semblance_word_memory_bytes: ['Bytes of words in memory.', ({ bytes }) => bytes],
  semblance_word_memory_projects: [
    'Projects whose words are in memory; those that are being read are not counted.',
    ({ projects }) => projects,
  ],
  semblance_word_memory_dropped_total: [
    'Times that the words of a project have made room for others.',
    ({ dropped }) => dropped,
  ],
  semblance_word_readings: [
    'Projects whose words are being read because searches wait for them.',
    ({ awaited }) => awaited.projects,
  ],
  semblance_word_readings_embeddings: [
    'Embeddings that are still to be read for searches by words.',
    ({ awaited }) => awaited.embeddings,
  ],
}
