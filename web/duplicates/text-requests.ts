import { percentEncoded } from '../project/requests.ts'

/** Servers limit the URL and the headers together to 16 KiB. */
const maxCharacters = 8_000
/** The API's maximum page size. */
const maxTexts = 200

/** Splits the text_ids into as few requests as possible. */
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
