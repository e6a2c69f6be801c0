import { type Sought, type View, wholeFilter } from './view.ts'

export const textsPerPage = 20
const groupSize = 3

export interface ShownRequest {
  readonly path: string
  readonly body: object | undefined
}

/** The request whose answer the page shows. @param project `owner/handle` */
export function requestFor(view: View, project: string): ShownRequest {
  const { sought, threshold, groupBy, offset, after } = view
  const filter = wholeFilter(view)
  if (sought === undefined) {
    const query = {
      ...{ limit: String(textsPerPage), include: 'text,metadata' },
      ...(filter !== undefined && { filter: JSON.stringify(filter) }),
      ...(after !== '' && { after }),
    }
    const printed = Object.entries(query).map(([name, of]) => `${name}=${percentEncoded(of)}`)
    return { path: `v1/embeddings/${project}?${printed.join('&')}`, body: undefined }
  }
  return {
    path: `v1/similars/${project}`,
    body: {
      ...givenFor(sought),
      limit: textsPerPage,
      ...(offset > 0 && { offset }),
      ...(sought.by !== 'words' && { threshold }),
      ...(filter !== undefined && { filter }),
      ...(groupBy !== '' && { group_by: groupBy, group_size: groupSize }),
      include: [
        ...['text', 'metadata'],
        ...(hasWords(sought) ? ['highlights'] : []),
        // Against random pairs, what is also unlike others says nothing.
        ...(sought.by === 'words' || 'unlike' in sought ? [] : ['percentile']),
      ],
    },
  }
}

/** Whether the words themselves are looked for. */
export const hasWords = (sought: Sought): boolean => 'words' in sought && sought.by !== 'meaning'

function givenFor(sought: Sought): object {
  if (sought.by === 'text_id') {
    const { by: _, textId, ...examples } = sought
    return { text_id: textId, ...examples }
  }
  if (sought.by === 'vector') return { vector: sought.vector }
  const { by, words } = sought
  return { ...(by !== 'meaning' && { words }), ...(by !== 'words' && { text: words }) }
}

/**
 * The request as a command for a shell.
 * @param server its URL, ending with a slash
 * @param takesKey whether it takes a key, from the environment
 */
export function curlOf({ path, body }: ShownRequest, server: string, takesKey: boolean): string {
  const parts = [`curl '${server}${path}'`]
  if (takesKey) parts.push('-H "Authorization: Bearer $SEMBLANCE_KEY"')
  if (body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${inApostrophes(JSON.stringify(body))}`)
  }
  return parts.join(' \\\n  ')
}

const inApostrophes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Also encodes the characters that shells and other languages interpret within quotes. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Servers limit the URL and the headers together to 16 KiB. */
const maxCharacters = 8_000
/** The API's maximum page size. */
const maxTexts = 200

export function pathsFor(project: string, ids: readonly string[]): string[] {
  const parts: string[][] = []
  let length = maxCharacters
  for (const id of new Set(ids)) {
    const size = percentEncoded(JSON.stringify(id)).length + 3
    length += size
    if (length > maxCharacters || parts.at(-1)?.length === maxTexts) {
      parts.push([])
      length = size
    }
    parts.at(-1)?.push(id)
  }
  return parts.map((part) => {
    const filter = percentEncoded(JSON.stringify({ text_id: { $in: part } }))
    return `v1/embeddings/${project}?limit=${maxTexts}&include=text&filter=${filter}`
  })
}

/**
 * Finds a path segment that cannot be a handle. Browsers resolve `.` and `..` even if they are
 * encoded, so another operation would be called.
 */
export const misreadSegment = (path: string): string | undefined =>
  path
    .replace(/\?.*/s, '')
    .split('/')
    .find((segment) => /^(\.|%2e){0,2}$/i.test(segment))
