import type { JsonObject } from './metadata.ts'
import type { Model, Sought } from './model.ts'
import { toBase64 } from './vectors.ts'

/** A search: the names are those of the service, so that it can be sent and shown as it is. */
export interface Options {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly threshold?: number | undefined
  readonly filter?: JsonObject | undefined
  readonly metadata_path?: string | undefined
  readonly metadata_value?: string | undefined
  readonly exact?: true | undefined
  readonly min_recall?: number | undefined
  readonly include_self?: true | undefined
  readonly totals?: true | undefined
  readonly group_by?: string | undefined
  readonly group_size?: number | undefined
  readonly include?: readonly string[] | undefined
}

export interface Question {
  /** A stored text, or a vector. */
  readonly textId: string | undefined
  readonly vector: Float32Array
  readonly options: Options
}

export const usual = { limit: 10, offset: 0, threshold: 0.5, groupSize: 1 } as const

export const soughtBy = ({ textId, vector, options }: Question): Sought => ({
  ...options,
  vector,
  without: options.include_self === true ? undefined : textId,
})

const inFull = ({ include, ...options }: Options) => ({
  ...options,
  ...(include !== undefined && { include, vector_format: 'base64' }),
})

/** As the body of a search, or one of a batch. */
export const bodyOf = ({ textId, vector, options }: Question) => ({
  ...(textId === undefined ? { vector: toBase64(vector) } : { text_id: textId }),
  ...inFull(options),
})

/** The options of a search in its URL. */
export function queryOf({ options }: Question): string {
  const given = Object.entries(inFull(options)).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text =
      typeof value === 'object' && name !== 'include' ? JSON.stringify(value) : `${value}`
    return [`${name}=${encodeURIComponent(text)}`]
  })
  return given.length === 0 ? '' : `?${given.join('&')}`
}

export const pathOf = (model: Model, { textId }: Question) =>
  textId === undefined
    ? model.path('similars')
    : `${model.path('similars')}/${encodeURIComponent(textId)}`
