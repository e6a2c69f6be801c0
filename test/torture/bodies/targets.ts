import type { Frame } from '../../support/fuzz/texts.ts'

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
const item = '"text_id":"t","instance_handle":"probed","vector":[1,2,3],"vector_dim":3,"metadata":'

function target(
  name: string,
  path: string,
  bytes: number,
  frames: Target['frames'],
  other: Partial<Target> = {},
): Target {
  return { name, method: 'POST', path: () => path, hasKey: true, bytes, frames, ...other }
}

const search = {
  vector: around('{"vector":', '}'),
  filter: around('{"vector":[1,2,3],"filter":', '}'),
  anything: around('{"vector":[1,2,3],"x":', '}'),
}
const missing = {
  items: around('{"items":', '}'),
  'an item': around('{"items":[{"text_id":', '}]}'),
}
const batch = {
  searches: around('{"searches":', '}'),
  'a vector': around('{"searches":[{"vector":', '}]}'),
  'a filter': around('{"searches":[{"vector":[1,2,3],"filter":', '}]}'),
}
const upload = {
  embeddings: around('{"embeddings":', '}'),
  metadata: around(`{"embeddings":[{${item}`, '}]}'),
  'a vector': around('{"embeddings":[{"text_id":"t","vector":', '}]}'),
  anything: around('{"embeddings":[],"x":', '}'),
}
const deletion = { text_ids: around('{"text_ids":', '}'), filter: around('{"filter":', '}') }
const scheme = { metadataScheme: around('{"metadataScheme":', '}') }
const definition = { endpoint: around('{"definition_handle":"d","endpoint":', '}') }
const lines = { metadata: around(`{${item}`, '}') }
const file = { 'the first line': around('{"semblance":1,"embeddings":1,"x":', '}') }

const replacing = `/v1/embeddings/${project}?on_conflict=replace`
const { usual, list, bulk } = sizes

/** Each kind of body that the service reads, by the operations through which it is read. */
export const targets: readonly Target[] = [
  target('search', `/v1/similars/${project}`, usual, search, { hasKey: false }),
  target('missing', `/v1/embeddings/${project}/missing`, list, missing, { hasKey: false }),
  target('batch', `/v1/similars/${project}/batch`, bulk, batch, { hasKey: false }),
  target('upload', replacing, bulk, upload),
  target('delete many', `/v1/embeddings/${project}/delete`, list, deletion),
  target('metadata schema', '/v1/projects/ann/d8', usual, scheme, { method: 'PATCH' }),
  target('definition', '/v1/llm-definitions/ann', usual, definition),
  target('upload of lines', replacing, list, lines, { contentType: 'application/x-ndjson' }),
  target('import', '', 3 * list, file, {
    path: (number) => `/v1/projects/ann/imported-${number}/import`,
    contentType: 'application/vnd.semblance+ndjson',
  }),
]
