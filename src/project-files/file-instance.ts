import { and, eq } from 'drizzle-orm'
import { type Account, type Caller, scopeOf } from '../access/caller.ts'
import { lackOf } from '../access/rules.ts'
import { requireStandard } from '../api-standards/api-standards.ts'
import type { Db } from '../db/database.ts'
import { isProvider } from '../db/endpoints.ts'
import { instances } from '../db/schema.ts'
import { badRequest, conflict, forbiddenOperation } from '../errors.ts'
import { type Reference, usableInstance } from '../instances/use-in-project.ts'
import type { HeldChunks } from '../json/lines.ts'
import type { FileManifest } from './schemas.ts'

type FileInstance = NonNullable<FileManifest['instance']>

/** The owner and handle of the new project, and the request's parameters. */
export interface ImportRequest {
  readonly caller: Caller
  readonly owner: Account
  readonly handle: string
  /** The file. */
  readonly body: HeldChunks
  /**
   * Checks the permission again before anything is disclosed. @throws 401, 403 or 404 if the caller
   * has lost it
   */
  readonly grantAgain: () => Promise<unknown>
  /** Undefined uses the instance that the file describes. */
  readonly instance: Reference | undefined
}

const nameOf = ({ owner, handle }: Reference) => `LLM service instance '${owner}/${handle}'`

/**
 * Finds the instance for an imported project: the requested one, or the owner's instance with the
 * handle in the file, which is created if necessary. It is locked until the transaction ends.
 * @param make false only looks, and describes the instance that would be created
 * @throws 400 or 403 as for a new project; 403 if the caller's key may not create an instance; 409
 * if the instance differs from the file's
 */
export async function instanceFor(
  db: Db,
  { caller, owner, instance: reference }: ImportRequest,
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
  const whole = wholeOf(described)
  await requireStandard(db, whole.api_standard)
  const own = { owner: owner.handle, handle: described.instance_handle }
  const lack = lackOf('instances:write', scopeOf(caller))
  const makes = make && lack === undefined
  const isThere = (makes && (await insert(db, owner, whole))) || (await find(db, owner, described))
  if (isThere === undefined) {
    if (lack !== undefined) throw mayNotMake(own, lack)
    return { ...own, ...whole, instanceId: undefined }
  }
  const { endpoint, apiStandard } = isThere
  const isSame =
    endpoint === whole.endpoint || !(isProvider(endpoint) || isProvider(whole.endpoint))
  if (!isSame || apiStandard !== whole.api_standard) {
    throw conflict(
      `${nameOf(own)} has another endpoint or API standard than the one of the file; name an instance with instance_owner and instance_handle`,
    )
  }
  refuseOther(own, isThere, described)
  return usableInstance(db, caller, owner, own)
}

const mayNotMake = (reference: Reference, lack: string) =>
  forbiddenOperation(
    `${nameOf(reference)} would be made, and ${lack}; name one that is there with instance_handle`,
    { needs: lack },
  )

/** @throws 400 if whoever exported the file was not allowed to read the instance */
function wholeOf(described: FileInstance) {
  const { endpoint, api_standard } = described
  if (endpoint !== undefined && api_standard !== undefined) {
    return { ...described, endpoint, api_standard }
  }
  throw badRequest(
    'instance_handle is required: the file does not say the endpoint and the API standard of its instance',
  )
}

/** Identifies a kind of vectors. Vectors of different models cannot be compared. */
export interface Made {
  readonly model: string
  readonly dimensions: number
}

/**
 * The vectors were checked against the instance as it was at the beginning of the file.
 * @throws 409 if it has changed since
 */
export function refuseChanged(before: Made, after: Made & Reference): void {
  if (before.model === after.model && before.dimensions === after.dimensions) return
  const inWords = ({ model, dimensions }: Made) => `model '${model}' with ${dimensions} dimensions`
  throw conflict(
    `${nameOf(after)} was changed while the file came in, from ${inWords(before)} to ${inWords(after)}; import the file again with an instance that fits it`,
  )
}

function refuseOther(reference: Reference, has: Made, { model, dimensions }: FileInstance): void {
  if (has.model === model && has.dimensions === dimensions) return
  throw conflict(
    `The embeddings of the file were made by model '${model}' with ${dimensions} dimensions, but ${nameOf(reference)} has model '${has.model}' with ${has.dimensions}`,
  )
}

async function insert(db: Db, { userId }: Account, described: ReturnType<typeof wholeOf>) {
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
