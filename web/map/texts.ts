import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { pause } from '../loading.ts'
import { percentEncoded } from '../project/requests.ts'
import { loadTexts } from '../project/texts.ts'
import type { MapPoints } from './plane.ts'
import { densePlaces, type Region, typicalWords } from './regions.ts'

const waitMs = 120

/** Waits first, so that points the pointer only passes cause no request. */
export async function loadText(signal: AbortSignal, textId: string) {
  await pause(waitMs, signal)
  const path = `v1/embeddings/${frame.name}?text_id=${percentEncoded(textId)}&include=text`
  const { data } = await call<Schemas['Embedding']>(path, { signal })
  return { textId, text: data.text ?? 'No text is stored.' }
}

const neighbours = 5

export async function loadNeighbours(signal: AbortSignal, textId: string) {
  const body = { text_id: textId, limit: neighbours, threshold: 0 }
  const path = `v1/similars/${frame.name}`
  const { data } = await call<Schemas['SimilarityResponse']>(path, { body, signal })
  return { textId, results: data.results }
}

/** Names the densest places of the map by the typical words of some texts there. */
export async function loadRegions(points: MapPoints, signal: AbortSignal): Promise<Region[]> {
  const places = densePlaces(points)
  const idsOf = places.map(({ sample }) => sample.flatMap((at) => points.textIds[at] ?? []))
  const texts = await loadTexts(idsOf.flat(), signal)
  const names = typicalWords(idsOf.map((ids) => ids.flatMap((id) => texts.get(id) ?? [])))
  return places.flatMap((place, at) => {
    const text = names[at] ?? ''
    return text === '' ? [] : { ...place, text }
  })
}
