import type { components } from '../../../client/api.ts'
import { call } from '../call.ts'
import { pathsFor } from './text-requests.ts'

type List = components['schemas']['EmbeddingList']

/** The stored texts of these text_ids; without one, or without a text, it is absent. */
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
