import { call } from '../api.ts'
import { httpClient } from '../clients/http.ts'
import type { HttpJob, HttpRequest } from '../jobs.ts'
import type { DataSet } from './data-set.ts'
import type { Ask } from './filter.ts'

/** How a server is spoken to. */
export interface Protocol {
  readonly url: string
  readonly key: string
  readonly stored: number
  /** Stores these embeddings. */
  upload(indexes: readonly number[]): HttpRequest
  search(query: number, ask: Ask): HttpRequest
  /** What an answer to a search has found. */
  foundIn(answer: unknown): readonly number[]
}

const batch = 1_000
const clients = 4
/** So many batches are encoded before they are sent, which is what is measured. */
const encoded = 16

/** @returns acknowledged vectors a second, by four clients with batches of a thousand */
export async function uploadAll(set: DataSet, protocol: Protocol): Promise<number> {
  let ms = 0
  for (let first = 0; first < set.vectors; first += batch * encoded) {
    const starts = Array.from({ length: encoded }, (_, at) => first + at * batch)
    const requests = starts
      .filter((start) => start < set.vectors)
      .map((start) => protocol.upload(indexesFrom(start, Math.min(start + batch, set.vectors))))
    const shares = Array.from({ length: clients }, (_, seat) =>
      requests.filter((_, at) => at % clients === seat),
    )
    const start = performance.now()
    await Promise.all(shares.map((share) => sendInTurn(protocol, share)))
    ms += performance.now() - start
  }
  return (set.vectors * 1_000) / ms
}

async function sendInTurn(protocol: Protocol, requests: readonly HttpRequest[]): Promise<void> {
  if (requests.length === 0) return
  const send = httpClient({ ...jobOf(protocol, requests), expected: protocol.stored }, 0)
  for (const _ of requests) await send()
}

export const searchesOf = (protocol: Protocol, queries: readonly number[], ask: Ask): HttpJob =>
  jobOf(
    protocol,
    queries.map((query) => protocol.search(query, ask)),
  )

const jobOf = ({ url, key }: Protocol, requests: readonly HttpRequest[]): HttpJob => ({
  kind: 'http',
  url,
  key,
  expected: 200,
  requests,
})

/** Asks once, and looks at the answer. */
export async function findBy(protocol: Protocol, query: number, ask: Ask) {
  const { method, path, body } = protocol.search(query, ask)
  const { answer, headers } = await call(protocol.url, protocol.key, method, path, body)
  return { found: protocol.foundIn(answer), headers }
}

const indexesFrom = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, at) => start + at)
