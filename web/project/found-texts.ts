import type { Schemas } from '../../clients/typescript/src/client.ts'
import { type Answered, call } from '../call.ts'
import { type ShownRequest, textsPerPage } from './requests.ts'
import type { Row } from './row.tsx'

type List = Schemas['EmbeddingList']
type Listed = Schemas['Embedding']
type Similar = Schemas['SimilarityResponse']

/** The rows of an answer, with what its headers say. */
export interface FoundTexts {
  readonly rows: readonly Row[]
  /** In a list: the number of texts on all pages. */
  readonly total: number | undefined
  readonly hasMore: boolean
  /** Search headers. */
  readonly hidden: number | undefined
  readonly mode: string | undefined
  readonly note: string | undefined
}

export async function loadFound(request: ShownRequest, signal: AbortSignal): Promise<FoundTexts> {
  const { path, body } = request
  if (body === undefined) return foundInList(await call<List>(path, { signal }))
  return foundBySearch(await call<Similar>(path, { body, signal }))
}

const foundInList = ({ data, headers }: Answered<List>): FoundTexts => ({
  rows: data.embeddings.map(rowOf),
  total: data.total_count,
  hasMore: headers.has('Link'),
  ...{ hidden: undefined, mode: undefined, note: undefined },
})

export const rowOf = ({ text_id: textId, text, metadata }: Omit<Listed, 'vector'>): Row => ({
  textId,
  text,
  metadata,
})

function foundBySearch({ data, headers }: Answered<Similar>): FoundTexts {
  const rows = data.results.map(({ id, ...result }) => ({
    textId: id,
    text: result.text,
    metadata: result.metadata,
    similarity: result.similarity,
    group: result.group,
  }))
  const hidden = headers.get('X-Search-Hidden')
  const places = new Set(rows.map(({ textId, group }) => JSON.stringify(group) ?? textId))
  return {
    rows,
    total: undefined,
    hasMore: places.size === textsPerPage,
    hidden: hidden === null ? undefined : Number(hidden),
    mode: headers.get('X-Search-Mode') ?? undefined,
    note: headers.get('X-Search-Note') ?? undefined,
  }
}
