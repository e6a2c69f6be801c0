import type { TextIds } from './embeddings.ts'

/**
 * The text_ids that the last path segment can mean: decoded once, then as it was sent (some proxies
 * and clients encode twice, and a text_id may hold a percent sign).
 */
export function textIdsIn(url: string, decoded: string): TextIds {
  const [path = ''] = url.split(/[?#]/, 1)
  return [decoded, path.slice(path.lastIndexOf('/') + 1)]
}
