import type { Project, ProjectInstance } from '../../access/project.ts'
import { type ErrorKind, ServiceError } from '../../errors.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import { toFloat32 } from '../../vectors/float32.ts'
import type { Upload } from './schemas.ts'

type Place = (index: number) => string

/** An item of a batch that cannot be stored. */
export class RefusedItem extends ServiceError {
  readonly index: number
  /** The same message with other names for the items. */
  readonly naming: (at: Place) => string

  constructor(kind: ErrorKind, index: number, naming: (at: Place) => string) {
    super(
      kind,
      naming((item) => `embeddings[${item}]`),
    )
    this.index = index
    this.naming = naming
  }
}

export const alreadyThere = ({ owner, handle }: Project, textId: string, index: number) =>
  new RefusedItem(
    'conflict',
    index,
    (at) => `Embedding '${textId}' already exists in project '${owner}/${handle}' (${at(index)})`,
  )

/**
 * The vector of an item in its stored form; undefined if it has none yet.
 * @throws 400 if the item does not fit the project's instance
 */
export function vectorOf(
  { textId, vectorDim, instanceHandle, vector }: Upload,
  index: number,
  { handle, dimensions }: ProjectInstance,
): Float32Array | undefined {
  const misfit = (problem: string) =>
    new RefusedItem('bad-request', index, (at) => `${problem} (${at(index)}, text_id '${textId}')`)
  const mismatch = (says: string) =>
    misfit(
      `dimension validation failed: vector dimension mismatch: ${says} dimensions but LLM service '${handle}' expects ${dimensions} dimensions`,
    )
  if (instanceHandle !== undefined && instanceHandle !== handle) {
    throw misfit(
      `instance_handle is '${instanceHandle}', but the project's LLM service instance is '${handle}'`,
    )
  }
  if (vectorDim !== undefined && vectorDim !== dimensions) {
    throw mismatch(`embedding declares ${vectorDim}`)
  }
  if (vector === undefined) return undefined
  if (vector.length !== dimensions) {
    throw vectorDim === undefined
      ? mismatch(`the vector has ${vector.length}`)
      : misfit(`vector length (${vector.length}) does not match declared vector_dim (${vectorDim})`)
  }
  const float32 = toFloat32(vector)
  if (typeof float32 === 'string') throw misfit(`vector: ${float32}`)
  return float32
}

export async function checkMetadata(
  schemes: MetadataSchemes,
  { ownerId, metadataScheme }: Project,
  uploads: readonly Upload[],
): Promise<void> {
  if (metadataScheme === null) return
  const texts = uploads.map(({ metadata }) => metadata ?? '{}')
  const [violation] = await schemes.findViolations(ownerId, metadataScheme, texts, 1)
  if (violation === undefined) return
  const { index, lines } = violation
  const { textId } = uploads[index] ?? { textId: '' }
  throw new RefusedItem(
    'bad-request',
    index,
    (at) =>
      `metadata validation failed for text_id '${textId}': ${at(index)} does not satisfy the project's metadataScheme:${lines.map((line) => `\n  - ${line}`).join('')}`,
  )
}

export function refuseRepeated(uploads: readonly Upload[]): void {
  const seen = new Map<string, number>()
  for (const [index, { textId }] of uploads.entries()) {
    const first = seen.get(textId)
    if (first !== undefined) {
      throw new RefusedItem(
        'conflict',
        index,
        (at) => `Embedding '${textId}' is twice in this batch (${at(first)} and ${at(index)})`,
      )
    }
    seen.set(textId, index)
  }
}
