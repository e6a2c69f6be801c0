import type { Project } from '../access/project.ts'
import { findTextIds } from '../collections/keys.ts'
import type { Db } from '../db/database.ts'
import { ProviderRefusal } from '../providers/answers.ts'
import type { ConflictRule } from './conflict-rule.ts'
import { alreadyThere, RefusedItem, type Upload } from './upload-checks.ts'

/** Embeds texts. The vectors are in the order of the texts. */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>

/**
 * Makes the vectors of uploads without one, by text_id. Each text costs, so text_ids that exist are
 * left out if they are to be skipped, and refused before any text is sent if they must not exist.
 * @throws 409 under the rule 'error', and what `embed` throws
 */
export async function embedMissing(
  db: Db,
  embed: EmbedTexts,
  project: Project,
  uploads: readonly Upload[],
  rule: ConflictRule,
): Promise<ReadonlyMap<string, Float32Array>> {
  const lacking = uploads.filter(({ vector }) => vector === undefined)
  const asked = { error: uploads, skip: lacking, replace: [] }[rule]
  const textIds = asked.map(({ textId }) => textId)
  const there = await findTextIds(db, project.collectionId, textIds)
  const taken = rule === 'error' ? uploads.findIndex(({ textId }) => there.has(textId)) : -1
  if (taken !== -1) throw alreadyThere(project, uploads[taken]?.textId ?? '', taken)
  const wanted = lacking.filter(({ textId }) => !there.has(textId))
  if (wanted.length === 0) return new Map()
  const vectors = await embed(wanted.map(({ text }) => text ?? '')).catch((error) => {
    throw named(error, uploads, wanted)
  })
  return new Map(
    wanted.flatMap(({ textId }, index) => {
      const vector = vectors[index]
      return vector === undefined ? [] : [[textId, vector]]
    }),
  )
}

/** Adds which item has the text that the provider refuses, if it refuses a single one. */
function named(error: unknown, uploads: readonly Upload[], sent: readonly Upload[]): unknown {
  if (!(error instanceof ProviderRefusal) || error.text === undefined) return error
  const refused = sent.find(({ text }) => text === error.text)
  if (refused === undefined) return error
  return new RefusedItem(
    error.kind,
    uploads.indexOf(refused),
    (at) => `${error.message} (${at(uploads.indexOf(refused))}, text_id '${refused.textId}')`,
  )
}
