import { linesIn } from '../../exports/lines.ts'
import type { Row } from './item.ts'

const longestLine = 16 * 1024 * 1024

export async function* ndjsonRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void> {
  for await (const { number: line, bytes } of linesIn(chunks, longestLine, true)) {
    const text = bytes.toString().replace(/^\ufeff/, '')
    yield { line, ...parsed(text) }
  }
}

export function parsed(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `no JSON: ${error instanceof Error ? error.message.slice(0, 100) : error}` }
  }
}
