import type { Database } from '../db/database.ts'
import type { instances } from '../db/schema.ts'
import { unauthorized } from '../errors.ts'
import { sameHash } from '../secrets/keys.ts'
import type { Found } from './authorize.ts'
import {
  type Account,
  type Caller,
  isUser,
  limitingKeyOf,
  type NamedKey,
  systemHandle,
} from './caller.ts'
import { prepareLookups } from './lookup.ts'
import { collectionOf, type ProjectWithCollection, projectOf } from './project.ts'
import type { Relation } from './rules.ts'

/** An LLM service instance with the handle of its owner. */
export interface Instance extends Readonly<typeof instances.$inferSelect> {
  readonly owner: string
}

/** What the path of a request names: a namespace and, in it, a project or an instance. */
export interface Target {
  /** Handle of the user who owns the namespace. */
  readonly owner: string
  readonly handle: string
  /** The user whose share the path names. */
  readonly grantee?: string | undefined
}

export type Access = ReturnType<typeof createAccess>

/** SHA-256 of the presented key in hex; undefined without a key. */
type KeyHash = string | undefined

/** The user whose key was presented, and the key if it is not the user's first one. */
interface SelectedCaller {
  readonly caller: Account | null
  readonly key: NamedKey | null
}

/**
 * Finds the caller and the target of a request in one round trip. Every function throws 401 for a
 * key that is unknown or no longer valid. If the target is missing, `authorize` refuses the
 * request.
 */
export function createAccess(database: Database, adminKeyHash: string) {
  const lookups = prepareLookups(database)
  const isAdmin = (keyHash: KeyHash) => keyHash !== undefined && sameHash(keyHash, adminKeyHash)

  function identify(keyHash: KeyHash, selected: SelectedCaller | undefined): Caller {
    if (keyHash === undefined) return { kind: 'anonymous' }
    if (isAdmin(keyHash)) return { kind: 'admin' }
    if (selected?.caller == null) throw unauthorized()
    const { caller, key } = selected
    // This is checked here because the result of the look-up may be a remembered one.
    if (key?.expiresAt != null && key.expiresAt.getTime() <= Date.now()) throw unauthorized()
    return { kind: 'user', ...caller, key: key ?? undefined }
  }

  return {
    /** For what belongs to no user in particular, or is about the caller. */
    async service(keyHash: KeyHash): Promise<Found<Caller>> {
      const needsLookup = keyHash !== undefined && !isAdmin(keyHash)
      const [row] = needsLookup ? await lookups.caller({ keyHash }) : []
      const caller = identify(keyHash, row)
      const relations = relationsOf(caller).add('public')
      if (caller.kind !== 'anonymous') relations.add('authenticated')
      return { caller, relations, thing: caller }
    },

    /** The account that owns a namespace. */
    async namespace(keyHash: KeyHash, { owner }: Target): Promise<Found<Account>> {
      const [row] = await lookups.namespace({ keyHash: keyHash ?? null, owner })
      const caller = identify(keyHash, row)
      const thing = row?.owner ?? undefined
      const relations = relationsOf(caller, thing, row)
      if (thing?.handle === systemHandle && caller.kind !== 'anonymous') {
        relations.add('authenticated')
      }
      return { caller, relations, thing }
    },

    async instance(keyHash: KeyHash, target: Target): Promise<Found<Instance>> {
      const { owner, handle } = target
      const [row] = await lookups.instance({ keyHash: keyHash ?? null, owner, handle })
      const caller = identify(keyHash, row)
      const relations = relationsOf(caller, row?.owner, row, target)
      const thing = row?.instance == null ? undefined : { ...row.instance, owner }
      return { caller, relations, thing }
    },

    async project(keyHash: KeyHash, target: Target): Promise<Found<ProjectWithCollection>> {
      const { owner, handle } = target
      const [row] = await lookups.project({ keyHash: keyHash ?? null, owner, handle })
      const caller = identify(keyHash, row)
      // For a project that its key does not reach, the caller is a stranger and learns nothing.
      if (limitingKeyOf(caller) !== undefined && row?.reached == null) {
        return { caller, relations: new Set(), thing: undefined }
      }
      const relations = relationsOf(caller, row?.namespace, row, target)
      if (row?.project == null) return { caller, relations, thing: undefined }
      const { project, collection } = row
      if (project.publicRead) relations.add('public')
      const found = projectOf({ ...row, project, owner })
      const thing = { ...found, collection: collectionOf(project.collectionId, collection) }
      return { caller, relations, thing }
    },
  }
}

interface Share {
  readonly role?: 'reader' | 'editor' | null
  /** Whether the caller has a share of anything in the namespace. */
  readonly isMember: boolean | null
}

/**
 * @param share the caller's share
 * @param target names the grantee if the request is about a share
 */
export function relationsOf(
  caller: Caller,
  owner?: Account | null,
  share?: Share,
  target?: Target,
): Set<Relation> {
  const relations = new Set<Relation>()
  if (caller.kind === 'admin') relations.add('admin')
  if (owner != null && isUser(caller, owner.userId)) relations.add('owner')
  if (share?.isMember) relations.add('namespaceMember')
  if (share?.role != null) {
    relations.add(share.role).add('namespaceMember')
    if (caller.kind === 'user' && caller.handle === target?.grantee) relations.add('grantee')
  }
  return relations
}
