import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { pause } from '../loading.ts'
import { percentEncoded } from '../project/requests.ts'
import type { MapPoints } from './plane.ts'

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
