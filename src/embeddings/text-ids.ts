import type { Project } from '../access/project.ts'
import { notFound } from '../errors.ts'

/**
 * How a read names an embedding: by the path segment decoded once or, if no such embedding exists,
 * by the segment as sent. The first text_id that exists counts.
 */
export type TextIds = readonly string[]

/**
 * The text_ids that the last path segment can mean: decoded once, then as sent. Some proxies and
 * clients encode twice, and a text_id may contain a percent sign.
 */
export function textIdsIn(url: string, decoded: string): TextIds {
  const [path = ''] = url.split(/[?#]/, 1)
  return [decoded, path.slice(path.lastIndexOf('/') + 1)]
}

export const noSuchEmbedding = ({ owner, handle }: Project, [textId = '']: TextIds) =>
  notFound(`Embedding '${textId}' not found in project '${owner}/${handle}'`)
