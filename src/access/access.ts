import type { Database } from '../db/database.ts'
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
import type { Instance } from './instance.ts'
import { prepareLookups } from './lookup.ts'
import { collectionOf, type ProjectWithCollection, projectOf } from './project.ts'
import type { Relation } from './rules.ts'

/** What the path of a request names: a namespace and, in it, a project or an instance. */
export interface Target {
  /** Handle of the user to whom the namespace belongs. */
  readonly owner: string
  readonly handle: string
  /** The user whose share the path names. */
  readonly grantee?: string | undefined
}

export type Access = ReturnType<typeof createAccess>

/** SHA-256 of the presented key in hex; undefined without a key. */
type KeyHash = string | undefined

/** Whose key was presented, and, where it is not the first one, which. */
interface Presented {
  readonly caller: Account | null
  readonly key: NamedKey | null
}

/**
 * Finds caller and target of a request in one round trip.
 * Every function throws 401 for a key that nobody has, or has no more; what is missing is for `authorize` to refuse.
 */
export function createAccess(database: Database, adminKeyHash: string) {
  const lookups = prepareLookups(database)
  const isAdmin = (keyHash: KeyHash) => keyHash !== undefined && sameHash(keyHash, adminKeyHash)

  function identify(keyHash: KeyHash, presented: Presented | undefined): Caller {
    if (keyHash === undefined) return { kind: 'anonymous' }
    if (isAdmin(keyHash)) return { kind: 'admin' }
    if (presented?.caller == null) throw unauthorized()
    const { caller, key } = presented
    // Here, since what was looked up may be remembered from before.
    if (key?.expiresAt != null && key.expiresAt.getTime() <= Date.now()) throw unauthorized()
    return { kind: 'user', ...caller, key: key ?? undefined }
  }

  return {
    /** For a look-up and what can be read beside it: see `Pool.together`. */
    together: <T>(start: () => T) => database.short.together(start),

    /** For what belongs to nobody in particular, or is about the caller. */
    async service(keyHash: KeyHash): Promise<Found<Caller>> {
      const needsLookup = keyHash !== undefined && !isAdmin(keyHash)
      const [row] = needsLookup ? await lookups.caller({ keyHash }) : []
      const caller = identify(keyHash, row)
      const relations = relationsOf(caller).add('public')
      if (caller.kind !== 'anonymous') relations.add('authenticated')
      return { caller, relations, thing: caller }
    },

    /** The account to which a namespace belongs. */
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
      // Of what its key does not reach the caller is a stranger, and nothing tells whether it exists.
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

/** @param share of the caller @param target whose share is spoken of, if one is */
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
