import { useMemo } from 'hono/jsx/dom'
import { callLines } from '../call.ts'
import { frame } from '../frame.ts'
import { useLoaded } from '../loading.ts'
import { percentEncoded } from '../project/requests.ts'
import { chosenRange } from '../project/typed-condition.ts'
import { chosenValues, type View } from '../project/view.ts'
import type { MapPoints, PointField } from './map-data.ts'

/** 1 for each point that is shown. */
export type Mask = Uint8Array

/**
 * The points that the filter keeps. The condition on the field that colours the points takes no
 * request, since the map has its values.
 * @param isScalar whether no text has a list of values in that field
 */
export function useShown(points: MapPoints, view: View, isScalar: boolean) {
  const { field, textIds } = points
  const own = isScalar && field !== undefined ? keptValues(field, view) : undefined
  const asked = Object.entries(view.filter).filter(
    ([path]) => own === undefined || path !== field?.path,
  )
  const filter = asked.length === 0 ? '' : JSON.stringify(Object.fromEntries(asked))
  const kept = useLoaded(filter, (signal) =>
    filter === '' ? undefined : textIdsKept(filter, signal),
  )
  const { prefix } = view
  /** Also those that the condition on the field hides. */
  const around = useMemo(
    () =>
      maskOf(textIds, (textId) => textId.startsWith(prefix) && kept.value?.has(textId) !== false),
    [points, prefix, kept.value],
  )
  const ofField = JSON.stringify(field && view.filter[field.path])
  const shown = useMemo(
    () =>
      own === undefined
        ? around
        : around.map((is, at) => is && Number(own.has(field?.indexes[at] ?? -1))),
    [around, own === undefined, ofField],
  )
  return { around, shown, isLoading: filter !== '' && kept.isLoading, refusal: kept.refusal }
}

const maskOf = (textIds: readonly string[], isKept: (textId: string) => boolean): Mask =>
  Uint8Array.from(textIds, (textId) => Number(isKept(textId)))

/** The indexes of the values that the filter keeps; undefined if the values alone do not tell. */
function keptValues({ path, values }: PointField, view: View): ReadonlySet<number> | undefined {
  const range = chosenRange(view, path)
  const chosen = range === undefined ? chosenValues(view, path) : []
  if (chosen === undefined || (range === undefined && chosen.length === 0)) return undefined
  const { $gte = -Infinity, $lte = Infinity } = range ?? {}
  const isKept = (value: string | number | boolean) =>
    range === undefined
      ? chosen.includes(value)
      : typeof value === 'number' && value >= $gte && value <= $lte
  return new Set(values.flatMap((value, index) => (isKept(value) ? index : [])))
}

async function textIdsKept(filter: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const path = `v1/projects/${frame.name}/export?include=&filter=${percentEncoded(filter)}`
  const kept = new Set<string>()
  for await (const line of callLines<{ text_id: string }>(path, { signal })) kept.add(line.text_id)
  return kept
}
