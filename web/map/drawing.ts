import { useMemo } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { useLoaded } from '../loading.ts'
import { requestFor } from '../project/requests.ts'
import { chosenValues, type View } from '../project/view.ts'
import { coloursOf, pickedWith, scaleOf } from './colours.ts'
import { loadNeighbours } from './map-data.ts'
import type { MapView } from './map-view.ts'
import { countValues, type MapPoints, pointsWithin } from './plane.ts'
import type { PointMask } from './shown.ts'

/** The API's maximum page size. */
export const maxHits = 200

export interface Hit {
  readonly rank: number
  /** Undefined in a search by words alone. */
  readonly similarity: number | undefined
}

/** The best texts of a search that are on the map, by their places, best first. */
export type Hits = ReadonlyMap<number, Hit>

/** @param isAsked whether a search that costs money may be sent */
export function useHits(points: MapPoints, view: View, isAsked: boolean) {
  const { path, body } = requestFor({ ...view, groupBy: '', offset: 0 }, frame.name)
  const request =
    isAsked && view.sought !== undefined ? { ...body, limit: maxHits, include: [] } : undefined
  const found = useLoaded(request && JSON.stringify(request), (signal) =>
    call<Schemas['SimilarityResponse']>(path, { body: request, signal }),
  )
  const results = found.value?.data.results
  const hits: Hits | undefined = useMemo(
    () =>
      results &&
      new Map(
        results.flatMap(({ id, similarity }, at) => {
          const place = points.places.get(id)
          return place === undefined ? [] : [[place, { rank: at + 1, similarity }] as const]
        }),
      ),
    [points, results],
  )
  return { hits, isLoading: found.isLoading, refusal: found.refusal }
}

/** @param around what the filter keeps, but for its condition on the field: so colours stay */
export function useColours(points: MapPoints, view: MapView, around: PointMask) {
  const { field } = points
  const scale = useMemo(() => scaleOf(field), [points])
  const values = useMemo(
    () => (field === undefined ? [] : countValues(field, around)),
    [points, around],
  )
  const chosen = field === undefined ? [] : (chosenValues(view, field.path) ?? []).map(String)
  const picked = scale === undefined ? pickedWith(view.picked, values, chosen) : []
  const colours = useMemo(
    () => coloursOf(field, scale, values, picked),
    [values, JSON.stringify(picked)],
  )
  return { scale, values, picked, colours }
}

/** What is selected, or else found, and which points do not fade because of it. */
export function useMarked(
  points: MapPoints,
  view: MapView,
  shown: PointMask,
  hits: Hits | undefined,
) {
  const selection = useMemo(
    () => (view.outline.length < 3 ? [] : pointsWithin(view.outline, { ...points, shown })),
    [points, shown, view.outline],
  )
  const found = useMemo(() => [...(hits?.keys() ?? [])], [hits])
  const lit = useMemo(() => {
    if (hits === undefined && selection.length === 0) return undefined
    const mask = new Uint8Array(shown.length)
    for (const at of hits === undefined ? selection : found) mask[at] = 1
    return mask
  }, [hits, selection])
  return { selection, found, lit }
}

/** The texts most similar to the chosen one, and the places of all of them. */
export function useNeighbours({ places }: MapPoints, chosen: string) {
  const { value } = useLoaded(chosen || undefined, loadNeighbours)
  const near = value?.textId === chosen ? value.results : []
  const ringed = [chosen, ...near.map(({ id }) => id)].flatMap((id) => places.get(id) ?? [])
  return { near, ringed }
}
