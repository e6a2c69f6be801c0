import type { Project } from '../access/project.ts'
import { findTextIds } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import type { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import type { ConflictRule } from './conflict-rule.ts'
import {
  alreadyThere,
  checkMetadata,
  type GivenUpload,
  hasVector,
  instanceOf,
  RefusedItem,
  refuseMisfit,
  refuseRepeated,
  type StoredUpload,
  type Upload,
} from './upload.ts'

/** The vectors of texts, in their order. */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>

interface Embedding {
  readonly db: Db
  readonly schemes: MetadataSchemes
  readonly embed: EmbedTexts
  readonly store: (uploads: readonly Upload[]) => Promise<StoredUpload>
}

/**
 * Stores a batch of which some vectors are made first. What would be refused is refused before, and what is
 * skipped is left out: each text costs.
 * @throws as `storeEmbeddings`, and what the provider refuses
 */
export async function storeTexts(
  { db, schemes, embed, store }: Embedding,
  project: Project,
  uploads: readonly GivenUpload[],
  rule: ConflictRule,
): Promise<StoredUpload> {
  const instance = instanceOf(project)
  for (const [index, upload] of uploads.entries()) refuseMisfit(upload, index, instance)
  await checkMetadata(schemes, project, uploads)
  refuseRepeated(uploads)
  const there = await findThere(db, project, uploads, rule)
  const kept = [...uploads.keys()].filter((index) => !isSkipped(uploads[index], there))
  const toEmbed = kept.flatMap((index) => textOf(uploads[index]) ?? [])
  const vectors = toEmbed.length === 0 ? [] : await embed(toEmbed)
  let next = 0
  const complete = kept.flatMap((index): Upload[] => {
    const upload = uploads[index]
    const vector = upload?.vector ?? vectors[next++]
    return upload === undefined || vector === undefined ? [] : [{ ...upload, vector }]
  })
  const stored = await store(complete).catch((error) => {
    throw error instanceof RefusedItem ? inWhole(error, kept) : error
  })
  if (there.size === 0) return stored
  const skipped = new Set([...stored.skipped, ...there])
  const ids = uploads.map(({ textId }) => textId)
  return { ...stored, skipped: ids.filter((textId) => skipped.has(textId)) }
}

/** Those that are there already, of what is skipped those without a vector. @throws 409 by the rule 'error' */
async function findThere(
  db: Db,
  project: Project,
  uploads: readonly GivenUpload[],
  rule: ConflictRule,
): Promise<Set<string>> {
  if (rule === 'replace') return new Set()
  const asked = rule === 'skip' ? uploads.filter((upload) => !hasVector(upload)) : uploads
  const ids = asked.map(({ textId }) => textId)
  const there = await findTextIds(db, project.collectionId, ids)
  if (rule === 'skip') return there
  const taken = uploads.findIndex(({ textId }) => there.has(textId))
  if (taken !== -1) throw alreadyThere(project, uploads[taken]?.textId ?? '', taken)
  return there
}

const isSkipped = (upload: GivenUpload | undefined, there: ReadonlySet<string>) =>
  upload !== undefined && upload.vector === undefined && there.has(upload.textId)

const textOf = (upload: GivenUpload | undefined) =>
  upload !== undefined && upload.vector === undefined ? (upload.text ?? '') : undefined

/** The same about the batch as it came. */
const inWhole = ({ kind, index, naming }: RefusedItem, kept: readonly number[]) =>
  new RefusedItem(kind, kept[index] ?? index, (at) => naming((item) => at(kept[item] ?? item)))
