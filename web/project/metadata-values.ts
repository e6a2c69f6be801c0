import { printPath } from '../../src/filters/metadata-path.ts'
import { type FacetValue, isScalar } from './view.ts'

export interface MetadataValue {
  /** The field's path as filters write it. */
  readonly path: string
  readonly value: FacetValue | null
}

/**
 * Flattens metadata into its scalar values, each with the path of its field. Elements of an array
 * have the path of the array.
 */
export function valuesIn(metadata: unknown, keys: readonly string[] = []): MetadataValue[] {
  if (Array.isArray(metadata)) return metadata.flatMap((element) => valuesIn(element, keys))
  if (metadata === null || isScalar(metadata)) return [{ path: printPath(keys), value: metadata }]
  if (typeof metadata !== 'object') return []
  return Object.entries(metadata).flatMap(([key, value]) => valuesIn(value, [...keys, key]))
}
