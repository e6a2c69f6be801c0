import { linesIn } from '../../json/lines.ts'
import { parseText } from '../../json/parse.ts'
import type { ImportRow } from './item.ts'

const maxLine = 16 * 1024 * 1024

export async function* ndjsonRows(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportRow, void> {
  for await (const { number: line, bytes } of linesIn(chunks, maxLine, true)) {
    yield { line, ...parsed(bytes) }
  }
}

/** Bytes are UTF-8, and nothing else: of what is replaced, two text_ids may become one. */
export function parsed(json: string | Uint8Array): { value: unknown } | { problem: string } {
  try {
    return { value: typeof json === 'string' ? JSON.parse(json) : parseText(json) }
  } catch (error) {
    return { problem: `no JSON: ${error instanceof Error ? error.message.slice(0, 100) : error}` }
  }
}
