import type { SampleRequest } from '../../src/service/docs/code-samples/samples.ts'
import { type Sought, usualThreshold, type View, wholeFilter } from './view.ts'

export const textsPerPage = 20
/** Results shown per group. */
const groupSize = 3

export interface ShownRequest {
  readonly path: string
  /** Undefined for a GET. */
  readonly body: object | undefined
}

/**
 * The request whose answer the page shows.
 * @param project `owner/handle`
 */
export function requestFor(view: View, project: string): ShownRequest {
  const { sought, threshold, groupBy, offset, after } = view
  const filter = wholeFilter(view)
  if (sought === undefined) {
    const query = new Map([
      ['limit', String(textsPerPage)],
      ['include', 'text,metadata'],
    ])
    if (filter !== undefined) query.set('filter', JSON.stringify(filter))
    if (after !== '') query.set('after', after)
    const printed = [...query].map(([name, value]) => `${name}=${percentEncoded(value)}`)
    return { path: `v1/embeddings/${project}?${printed.join('&')}`, body: undefined }
  }
  return {
    path: `v1/similars/${project}`,
    body: {
      ...givenFor(sought),
      limit: textsPerPage,
      ...(offset > 0 && { offset }),
      ...(threshold !== usualThreshold && { threshold }),
      ...(filter !== undefined && { filter }),
      ...(groupBy !== '' && { group_by: groupBy, group_size: groupSize }),
      include: ['text', 'metadata'],
    },
  }
}

function givenFor(sought: Sought): object {
  if (sought.by === 'text_id') return { text_id: sought.textId }
  return sought.by === 'words' ? { text: sought.words } : { vector: sought.vector }
}

/** The same request for code samples. */
export const sampleOf = ({ path, body }: ShownRequest, takesKey: boolean): SampleRequest => ({
  method: body === undefined ? 'GET' : 'POST',
  path: `/${path}`,
  takesKey,
  mediaType: body === undefined ? undefined : 'application/json',
  body,
  sends: undefined,
  saves: undefined,
  answersJson: true,
})

/** Also encodes the characters that shells and other languages interpret within quotes. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
