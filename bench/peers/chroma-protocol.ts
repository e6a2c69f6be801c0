import { z } from 'zod'
import { call } from '../api.ts'
import { indexOf, textIdAt } from '../data.ts'
import type { DataSet } from './data-set.ts'
import type { Filter, Metadata } from './filter.ts'
import type { Protocol } from './http-server.ts'

const collections = '/api/v2/tenants/default_tenant/databases/default_database/collections'
const Created = z.object({ id: z.string() })
const Found = z.object({ ids: z.tuple([z.array(z.string())]) })

/** Everything by default, but for the measure of similarity. @returns its id */
export async function createCollection(url: string): Promise<string> {
  const collection = { name: 'compared', configuration: { hnsw: { space: 'cosine' } } }
  const { answer } = await call(url, '', 'POST', collections, JSON.stringify(collection))
  return Created.parse(answer).id
}

/** Counts from the next start of the server. */
export async function setEfSearch(url: string, id: string, efSearch: number): Promise<void> {
  const change = { new_configuration: { hnsw: { ef_search: efSearch } } }
  await call(url, '', 'PUT', `${collections}/${id}`, JSON.stringify(change))
}

export const protocolOf = (url: string, id: string, set: DataSet): Protocol => ({
  url,
  key: '',
  stored: 201,
  upload: (indexes) => ({
    method: 'POST',
    path: `${collections}/${id}/add`,
    body: Buffer.from(
      `{"ids":${JSON.stringify(indexes.map(textIdAt))},` +
        `"metadatas":${JSON.stringify(indexes.map(set.metadataOf))},` +
        `"embeddings":[${indexes.map(set.jsonAt).join(',')}]}`,
    ),
  }),
  search: (query, { filter }) => ({
    method: 'POST',
    path: `${collections}/${id}/query`,
    body: Buffer.from(
      `{"query_embeddings":[${set.jsonAt(query)}],"n_results":10,"include":["distances"]` +
        `${filter === undefined ? '' : `,"where":${where(filter, set.metadataOf(query))}`}}`,
    ),
  }),
  foundIn: (answer) => Found.parse(answer).ids[0].map(indexOf),
})

const where = (filter: Filter, { book }: Metadata) =>
  JSON.stringify(
    filter === 'other books'
      ? { book: { $ne: book } }
      : { [filter.field]: { [`$${filter.operator}`]: filter.bound } },
  )
