import { useMemo } from 'hono/jsx/dom'
import { callLines } from '../call.ts'
import { frame } from '../frame.ts'
import { useLoaded } from '../loading.ts'
import { percentEncoded } from '../project/requests.ts'
import { chosenRange, chosenValues, type View } from '../project/view.ts'
import type { MapPoints, PointField } from './plane.ts'

/** 1 for each point that is shown. */
export type PointMask = Uint8Array

/**
 * The points that the filter keeps. The condition on the field that colours the points takes no
 * request, since the map has its values.
 * @param isScalar whether no text has a list of values in that field
 */
export function useShown(points: MapPoints, view: View, isScalar: boolean) {
  const { field, textIds } = points
  const { [field?.path ?? '']: condition, ...others } = view.filter
  const ofField = JSON.stringify(condition)
  const own = useMemo(
    () => (isScalar && field !== undefined ? keptValues(field, view) : undefined),
    [points, isScalar, ofField],
  )
  const byOthers = useKept(others)
  const byAll = useKept(own === undefined && condition !== undefined ? view.filter : {})
  const { prefix } = view
  /** Also what the condition on the field hides, so that the legend has it. */
  const around = useMemo(
    () => maskOf(textIds, (id) => id.startsWith(prefix) && byOthers.value?.has(id) !== false),
    [points, prefix, byOthers.value],
  )
  const shown = useMemo(() => {
    const isKept = (at: number) =>
      own === undefined
        ? byAll.value?.has(textIds[at] ?? '') !== false
        : own.has(field?.indexes[at] ?? -1)
    return around.map((is, at) => Number(is === 1 && isKept(at)))
  }, [around, own, byAll.value])
  const isLoading = byOthers.isLoading || byAll.isLoading
  return { around, shown, isLoading, refusal: byOthers.refusal ?? byAll.refusal }
}

const useKept = (filter: View['filter']) =>
  useLoaded(Object.keys(filter).length === 0 ? undefined : JSON.stringify(filter), textIdsKept)

const maskOf = (textIds: readonly string[], isKept: (textId: string) => boolean): PointMask =>
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

async function textIdsKept(signal: AbortSignal, filter: string): Promise<ReadonlySet<string>> {
  const path = `v1/projects/${frame.name}/export?include=&filter=${percentEncoded(filter)}`
  const kept = new Set<string>()
  for await (const line of callLines<{ text_id: string }>(path, { signal })) kept.add(line.text_id)
  return kept
}
