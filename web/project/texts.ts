import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { pathsFor } from './requests.ts'

/** @returns the texts by their text_ids, of those that have one */
export async function loadTexts(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const path of pathsFor(frame.name, ids)) {
    const { data } = await call<Schemas['EmbeddingList']>(path, { signal })
    for (const { text_id: id, text } of data.embeddings) {
      if (text !== undefined) texts.set(id, text)
    }
  }
  return texts
}
