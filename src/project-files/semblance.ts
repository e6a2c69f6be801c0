import { createHash } from 'node:crypto'
import { receivedVector, vectorToBase64 } from '../vectors/encoding.ts'
import type { ExportedProject } from './project.ts'
import type { ExportedRow } from './rows.ts'

export const fileType = 'application/vnd.semblance+ndjson'
/** The version of the file format. Imports accept only this one. */
export const fileVersion = 1

/**
 * A whole project as one file, as docs/portable-file.md describes: a line of JSON about the
 * project, one for each embedding ordered by text_id, and one with their number and the SHA-256 of
 * all lines before it. Every byte depends on the project's contents only.
 */
export class SemblanceFile {
  readonly #hash = createHash('sha256')
  #announced = 0
  #rows = 0

  begin(project: ExportedProject): string {
    this.#announced = project.vectors
    return this.#hashed(`${JSON.stringify(manifestOf(project))}\n`)
  }

  add(rows: readonly ExportedRow[]): [string] {
    this.#rows += rows.length
    return [this.#hashed(rows.map(lineOf).join(''))]
  }

  end(): string {
    // An import would reject the file.
    if (this.#rows !== this.#announced) {
      throw new Error(`exported ${this.#rows} of ${this.#announced} rows`)
    }
    return `${JSON.stringify({ embeddings: this.#rows, sha256: this.#hash.digest('hex') })}\n`
  }

  #hashed(lines: string): string {
    this.#hash.update(lines)
    return lines
  }
}

/** Omits the project's handle, owner and date, which the import determines. */
const manifestOf = ({ description, metadataScheme, instance, vectors }: ExportedProject) => ({
  semblance: fileVersion,
  project: { description, metadataScheme },
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
  let line = `{"text_id":${JSON.stringify(textId)},"created_at":"${createdAt}"`
  if (text !== null) line += `,"text":${JSON.stringify(text)}`
  if (metadata !== null) line += `,"metadata":${metadata}`
  return `${line},"vector":"${vectorToBase64(receivedVector(vector ?? ''))}"}\n`
}
