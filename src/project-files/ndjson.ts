import type { VectorFormat } from '../embeddings/projection.ts'
import { receivedVector, vectorToBase64 } from '../vectors/encoding.ts'
import type { ExportedRow } from './rows.ts'

/** Lines that the NDJSON upload accepts unchanged. It ignores `created_at` and sets its own. */
export const ndjsonLines = (rows: readonly ExportedRow[], format: VectorFormat): string =>
  rows.map((row) => lineOf(row, format)).join('')

function lineOf({ textId, text, metadata, createdAt, vector }: ExportedRow, format: VectorFormat) {
  // The text comes before the vector, where a person can see it.
  let line = `{"text_id":${JSON.stringify(textId)}`
  if (text !== null) line += `,"text":${JSON.stringify(text)}`
  if (metadata !== null) line += `,"metadata":${metadata}`
  line += `,"created_at":"${createdAt.slice(0, -4)}Z"`
  if (vector !== null) line += `,"vector":${format === 'json' ? vector : base64Of(vector)}`
  return `${line}}\n`
}

const base64Of = (bytes: string) => `"${vectorToBase64(receivedVector(bytes))}"`
