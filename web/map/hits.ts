import { useMemo } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { useLoaded } from '../loading.ts'
import { requestFor } from '../project/requests.ts'
import type { View } from '../project/view.ts'
import type { MapPoints } from './plane.ts'

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
  const results = request && found.value?.data.results
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
  return { hits, isLoading: request !== undefined && found.isLoading, refusal: found.refusal }
}
