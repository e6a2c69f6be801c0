import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { pause } from '../loading.ts'
import { percentEncoded } from '../project/requests.ts'
import { loadTexts } from '../project/texts.ts'
import type { MapPoints } from './plane.ts'
import { densePlaces, type Region, typicalWords } from './regions.ts'

type Ready = Schemas['ProjectMap']
export type MapWait = Schemas['ProjectMapProgress']

const firstPauseMs = 500
const maxPauseMs = 3_000

/** Polls until the map is computed. @param tell hears of the progress while it is not */
export async function loadMap(
  path: string,
  signal: AbortSignal,
  tell: (progress: MapWait) => void,
): Promise<MapPoints> {
  const query = path === '' ? '' : `?field=${percentEncoded(path)}`
  for (let wait = firstPauseMs; ; wait = Math.min(maxPauseMs, wait * 1.5)) {
    const url = `v1/projects/${frame.name}/map${query}`
    const { data } = await call<Ready | MapWait>(url, { signal })
    if (data.status === 'ready') return pointsOf(data)
    tell(data)
    await pause(wait, signal)
  }
}

function pointsOf(data: Ready): MapPoints {
  const { text_ids: textIds, x, y, field, missing_count: missing, revision } = data
  return {
    textIds,
    places: new Map(textIds.map((textId, at) => [textId, at])),
    missing,
    version: `${revision} ${textIds.length}`,
    x: Float32Array.from(x),
    y: Float32Array.from(y),
    field: field && {
      path: field.path,
      values: field.values,
      indexes: Int32Array.from(field.indexes),
    },
  }
}

const waitMs = 120

/** Waits first, so that points the pointer only passes cause no request. */
export async function loadText(signal: AbortSignal, textId: string) {
  await pause(waitMs, signal)
  const texts = await loadTexts([textId], signal)
  return { textId, text: texts.get(textId) ?? 'No text is stored.' }
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
