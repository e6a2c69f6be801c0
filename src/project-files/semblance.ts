import { createHash } from 'node:crypto'
import { receivedVector, vectorToBase64 } from '../vectors/encoding.ts'
import type { ExportedProject } from './project.ts'
import type { ExportedRow } from './rows.ts'

export const fileType = 'application/vnd.semblance+ndjson'
/** Of the form of the file: an import knows this one. */
export const fileVersion = 1

/**
 * One file of a whole project, as docs/portable-file.md describes it: a line of JSON about the project, one
 * for each embedding by text_id, and one with their number and the SHA-256 of all lines before it. Of what
 * it is made, and of nothing else, follows every byte of it.
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
    // It would refuse itself when it is imported.
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

/** Without handle, owner and date of the project: they are those of where it is imported. */
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
