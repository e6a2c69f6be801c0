import type { Project } from '../access/project.ts'
import { notFound } from '../errors.ts'

/**
 * How a request names an embedding that it reads: by the path segment decoded once, and if that is absent
 * by the segment as it was sent; the first text_id that exists is meant.
 */
export type TextIds = readonly string[]

/**
 * The text_ids that the last path segment can mean: decoded once, then as it was sent (some proxies
 * and clients encode twice, and a text_id may hold a percent sign).
 */
export function textIdsIn(url: string, decoded: string): TextIds {
  const [path = ''] = url.split(/[?#]/, 1)
  return [decoded, path.slice(path.lastIndexOf('/') + 1)]
}

export const noSuchEmbedding = ({ owner, handle }: Project, [textId = '']: TextIds) =>
  notFound(`Embedding '${textId}' not found in project '${owner}/${handle}'`)
