import { createHash } from 'node:crypto'
import { jsonObject } from '../json/json-text.ts'
import type { ExportedProject } from './project.ts'
import type { ExportedRow, RowGroups } from './rows.ts'

export const fileType = 'application/vnd.semblance+ndjson'
/** The version of the file format. Imports accept only this one. */
export const fileVersion = 1

/**
 * A whole project as one file, as docs/portable-file.md describes: a line of JSON about the
 * project, one for each embedding ordered by text_id, and one with their number and the SHA-256 of
 * all lines before it. Every byte depends on the project's contents only.
 */
export async function* semblanceFile(
  project: ExportedProject,
  groups: RowGroups,
): AsyncGenerator<string, void> {
  const hash = createHash('sha256')
  const hashed = (lines: string) => {
    hash.update(lines)
    return lines
  }
  yield hashed(`${JSON.stringify(manifestOf(project))}\n`)
  let embeddings = 0
  for await (const rows of groups) {
    embeddings += rows.length
    yield hashed(rows.map(lineOf).join(''))
  }
  if (embeddings !== project.vectors) {
    // An import would reject the file.
    throw new Error(`exported ${embeddings} of ${project.vectors} rows`)
  }
  yield `${JSON.stringify({ embeddings, sha256: hash.digest('hex') })}\n`
}

/** Omits the project's handle, owner and date, which the import determines. */
const manifestOf = ({ instance, vectors, ...project }: ExportedProject) => ({
  semblance: fileVersion,
  project: {
    description: project.description,
    metadataScheme: project.metadataScheme,
    ...(project.readingOrder !== null && { reading_order: project.readingOrder }),
  },
  instance: instance && {
    instance_handle: instance.handle,
    ...(instance.service && {
      endpoint: instance.service.endpoint,
      api_standard: instance.service.apiStandard,
    }),
    model: instance.model,
    dimensions: instance.dimensions,
  },
  embeddings: vectors,
})

function lineOf({ textId, text, metadata, createdAt, vector }: ExportedRow): string {
  const fields = { text_id: textId, created_at: createdAt, ...(text !== null && { text }) }
  return `${jsonObject(fields, { metadata, vector }).text}\n`
}
