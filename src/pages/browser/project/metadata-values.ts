import { printPath } from '../../../filters/metadata-path.ts'
import { type FacetValue, isScalar } from './view.ts'

export interface MetadataValue {
  /** As filters name the field. */
  readonly path: string
  readonly value: FacetValue | null
}

/** The scalars of metadata one by one, by the paths of their fields; elements of arrays by that of the array. */
export function valuesIn(metadata: unknown, keys: readonly string[] = []): MetadataValue[] {
  if (Array.isArray(metadata)) return metadata.flatMap((element) => valuesIn(element, keys))
  if (metadata === null || isScalar(metadata)) return [{ path: printPath(keys), value: metadata }]
  if (typeof metadata !== 'object') return []
  return Object.entries(metadata).flatMap(([key, value]) => valuesIn(value, [...keys, key]))
}
