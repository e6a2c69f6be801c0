import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { pathsFor } from './text-requests.ts'

type List = Schemas['EmbeddingList']

/**
 * Loads the stored texts of these text_ids. The map has no entry for a text_id without a stored
 * text.
 */
export async function loadTexts(
  project: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const path of pathsFor(project, ids)) {
    const { data } = await call<List>(path, { signal })
    for (const { text_id: id, text } of data.embeddings) {
      if (text !== undefined) texts.set(id, text)
    }
  }
  return texts
}
