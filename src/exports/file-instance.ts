import { and, eq } from 'drizzle-orm'
import type { Account, Caller } from '../access/caller.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { Db } from '../db/database.ts'
import { instances } from '../db/schema.ts'
import { badRequest, conflict } from '../errors.ts'
import { type Reference, usableInstance } from '../instances/usable.ts'
import type { FileManifest } from './schemas.ts'

type FileInstance = NonNullable<FileManifest['instance']>

/** Whom the imported project shall belong to, and what was asked for. */
export interface ImportWish {
  readonly caller: Caller
  readonly owner: Account
  readonly handle: string
  readonly requester: Requester
  /** Undefined for the instance that the file describes. */
  readonly instance: Reference | undefined
}

const nameOf = ({ owner, handle }: Reference) => `LLM service instance '${owner}/${handle}'`

/**
 * The instance for an imported project: the one that was asked for, or the owner's own by the handle that
 * the file says, which is made where there is none. It stays as it is until the transaction ends.
 * @param make false to look only: then of one that would be made, what it will be
 * @throws 400, 403 as for a new project; 409 when the instance has made other embeddings than the file's
 */
export async function instanceFor(
  db: Db,
  { caller, owner, instance: reference }: ImportWish,
  { instance: described }: FileManifest,
  make: boolean,
) {
  if (reference !== undefined) {
    const found = await usableInstance(db, caller, owner, reference)
    if (described !== null) refuseOther(reference, found, described)
    return found
  }
  if (described === null) {
    throw badRequest('instance_handle is required: the file says nothing of an instance')
  }
  await requireStandard(db, described.api_standard)
  const own = { owner: owner.handle, handle: described.instance_handle }
  const isThere =
    (make && (await insert(db, owner, described))) || (await find(db, owner, described))
  if (isThere === undefined) return { ...own, ...described, instanceId: undefined }
  const { endpoint, apiStandard } = isThere
  if (endpoint !== described.endpoint || apiStandard !== described.api_standard) {
    throw conflict(
      `${nameOf(own)} has another endpoint or API standard than the one of the file; name an instance with instance_owner and instance_handle`,
    )
  }
  refuseOther(own, isThere, described)
  return usableInstance(db, caller, owner, own)
}

interface Made {
  readonly model: string
  readonly dimensions: number
}

function refuseOther(reference: Reference, has: Made, { model, dimensions }: FileInstance): void {
  if (has.model === model && has.dimensions === dimensions) return
  throw conflict(
    `The embeddings of the file were made by model '${model}' with ${dimensions} dimensions, but ${nameOf(reference)} has model '${has.model}' with ${has.dimensions}`,
  )
}

async function insert(db: Db, { userId }: Account, described: FileInstance) {
  const { instance_handle: handle, api_standard: apiStandard, ...fields } = described
  const [made] = await db
    .insert(instances)
    .values({ ownerId: userId, handle, apiStandard, ...fields })
    .onConflictDoNothing()
    .returning()
  return made
}

async function find(db: Db, { userId }: Account, { instance_handle }: FileInstance) {
  const [found] = await db
    .select()
    .from(instances)
    .where(and(eq(instances.ownerId, userId), eq(instances.handle, instance_handle)))
  return found
}
