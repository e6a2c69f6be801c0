import type { Frame } from '../../support/data/odd-bodies/texts.ts'

const MiB = 2 ** 20
/** Of the server's limits, so much that a frame around it still fits. */
const near = 0.97
const sizes = { usual: near * MiB, list: near * 8 * MiB, bulk: near * 64 * MiB }

/** An operation that takes a body. */
export interface Target {
  readonly name: string
  readonly method: string
  /** With a number for those that make something of a name. */
  readonly path: (number: number) => string
  readonly hasKey: boolean
  /** As much as it takes, roughly. */
  readonly bytes: number
  /** Where values are put; a text of its own is sent besides. */
  readonly frames: Readonly<Record<string, Frame>>
  /** Of lines. */
  readonly contentType?: string
}

const around = (before: string, after: string): Frame => ({ before, after })
const project = 'ann/probed'

/** Each kind of body that the service reads, by the operations through which it is read. */
export const targets: readonly Target[] = [
  {
    name: 'search',
    method: 'POST',
    path: () => `/v1/similars/${project}`,
    hasKey: false,
    bytes: sizes.usual,
    frames: {
      vector: around('{"vector":', '}'),
      filter: around('{"vector":[1,2,3],"filter":', '}'),
      anything: around('{"vector":[1,2,3],"x":', '}'),
    },
  },
  {
    name: 'missing',
    method: 'POST',
    path: () => `/v1/embeddings/${project}/missing`,
    hasKey: false,
    bytes: sizes.list,
    frames: {
      items: around('{"items":', '}'),
      'an item': around('{"items":[{"text_id":', '}]}'),
    },
  },
  {
    name: 'batch',
    method: 'POST',
    path: () => `/v1/similars/${project}/batch`,
    hasKey: false,
    bytes: sizes.bulk,
    frames: {
      searches: around('{"searches":', '}'),
      'a vector': around('{"searches":[{"vector":', '}]}'),
      'a filter': around('{"searches":[{"vector":[1,2,3],"filter":', '}]}'),
    },
  },
  {
    name: 'upload',
    method: 'POST',
    path: () => `/v1/embeddings/${project}?on_conflict=replace`,
    hasKey: true,
    bytes: sizes.bulk,
    frames: {
      embeddings: around('{"embeddings":', '}'),
      metadata: around(
        '{"embeddings":[{"text_id":"t","instance_handle":"probed","vector":[1,2,3],"vector_dim":3,"metadata":',
        '}]}',
      ),
      'a vector': around('{"embeddings":[{"text_id":"t","vector":', '}]}'),
      anything: around('{"embeddings":[],"x":', '}'),
    },
  },
  {
    name: 'delete many',
    method: 'POST',
    path: () => `/v1/embeddings/${project}/delete`,
    hasKey: true,
    bytes: sizes.list,
    frames: {
      text_ids: around('{"text_ids":', '}'),
      filter: around('{"filter":', '}'),
    },
  },
  {
    name: 'metadata schema',
    method: 'PATCH',
    path: () => '/v1/projects/ann/d8',
    hasKey: true,
    bytes: sizes.usual,
    frames: { metadataScheme: around('{"metadataScheme":', '}') },
  },
  {
    name: 'definition',
    method: 'POST',
    path: () => '/v1/llm-definitions/ann',
    hasKey: true,
    bytes: sizes.usual,
    frames: { endpoint: around('{"definition_handle":"d","endpoint":', '}') },
  },
  {
    name: 'upload of lines',
    method: 'POST',
    path: () => `/v1/embeddings/${project}?on_conflict=replace`,
    hasKey: true,
    bytes: sizes.list,
    frames: {
      metadata: around(
        '{"text_id":"t","instance_handle":"probed","vector":[1,2,3],"vector_dim":3,"metadata":',
        '}',
      ),
    },
    contentType: 'application/x-ndjson',
  },
  {
    name: 'import',
    method: 'POST',
    path: (number) => `/v1/projects/ann/imported-${number}/import`,
    hasKey: true,
    bytes: 3 * sizes.list,
    frames: { 'the first line': around('{"semblance":1,"embeddings":1,"x":', '}') },
    contentType: 'application/vnd.semblance+ndjson',
  },
]
