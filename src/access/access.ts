import type { Database } from '../db/database.ts'
import {
  forbidden,
  noSuchInstance,
  noSuchProject,
  noSuchUser,
  type ServiceError,
  unauthorized,
} from '../errors.ts'
import type { SearchIndex } from '../search-indexes/policy.ts'
import { sameHash } from '../secrets/keys.ts'
import { type Account, type Caller, isUser, systemHandle } from './caller.ts'
import { prepareLookups, sharesInstanceOf, sharesProjectOf } from './lookup.ts'
import {
  type Action,
  type AdminAction,
  decide,
  type InstanceAction,
  type NamespaceAction,
  type ProjectAction,
  type Relation,
} from './rules.ts'

/** What a request presents. */
export interface Credential {
  /** Undefined without a key. */
  readonly keyHash: string | undefined
  /** Learns whose key it is, before it is decided what he may do; may refuse him by throwing. */
  readonly onCaller: (caller: Caller) => Promise<void>
}

/** What a request names: the owner of a namespace and, in it, a project or an instance. */
export interface Named {
  readonly owner: string
  readonly handle: string
  /** The user whose share is being removed. */
  readonly subject: string | undefined
}

export type Access = ReturnType<typeof createAccess>
export type ProjectGrant = Awaited<ReturnType<Access['project']>>
export type InstanceGrant = Awaited<ReturnType<Access['instance']>>
/** A project as found by a grant: with its instance when it has one, and its collection as it is now. */
export type Project = ProjectGrant['project']
export type Instance = InstanceGrant['instance']

/**
 * Finds the caller and what the request names, and lets through whom the rules allow.
 * Every function throws 401, 403 or 404, or answers what it found.
 */
export function createAccess(database: Database, adminKeyHash: string) {
  const { db } = database.access
  const lookups = prepareLookups(db)
  const isAdmin = ({ keyHash }: Credential) =>
    keyHash !== undefined && sameHash(keyHash, adminKeyHash)

  /** @throws 401 for a key that nobody has */
  function identify(credential: Credential, found: Account | null | undefined): Caller {
    if (credential.keyHash === undefined) return { kind: 'anonymous' }
    if (isAdmin(credential)) return { kind: 'admin' }
    if (found == null) throw unauthorized()
    return { kind: 'user', ...found }
  }

  async function meet(credential: Credential, found: Account | null | undefined): Promise<Caller> {
    const caller = identify(credential, found)
    await credential.onCaller(caller)
    return caller
  }

  return {
    async admin(action: AdminAction, credential: Credential) {
      const [found] = isAdmin(credential)
        ? []
        : await lookups.caller.execute({ keyHash: credential.keyHash ?? null })
      const caller = await meet(credential, found)
      return {
        caller: passed(action, caller, relationsOf(caller, undefined), caller, unauthorized),
      }
    },

    async namespace(action: NamespaceAction, credential: Credential, named: Named) {
      const [row] = await lookups.namespace.execute(parameters(credential, named))
      const caller = await meet(credential, row?.caller)
      const owner = row?.owner ?? undefined
      const relations = relationsOf(caller, owner)
      if (owner?.handle === systemHandle && caller.kind !== 'anonymous') {
        relations.add('authenticated')
      }
      if (action === 'projects:list' && caller.kind === 'user' && owner !== undefined) {
        if (await sharesProjectOf(db, caller.userId, owner.userId)) relations.add('neighbour')
      }
      const missing = () => noSuchUser(named.owner)
      return { caller, owner: passed(action, caller, relations, owner, missing) }
    },

    async instance(action: InstanceAction, credential: Credential, named: Named) {
      const [row] = await lookups.instance.execute(parameters(credential, named))
      const caller = await meet(credential, row?.caller)
      const owner = row?.owner ?? undefined
      const found = row?.instance ?? undefined
      const relations = relationsOf(caller, owner, row?.role, named)
      if (found === undefined && caller.kind === 'user' && owner !== undefined) {
        if (await sharesInstanceOf(db, caller.userId, owner.userId)) relations.add('neighbour')
      }
      const missing = () => noSuchInstance(named.owner, named.handle)
      const instance = passed(action, caller, relations, found, missing)
      return { caller, instance: { ...instance, owner: named.owner } }
    },

    async project(action: ProjectAction, credential: Credential, named: Named) {
      const [row] = await lookups.project.execute(parameters(credential, named))
      const caller = await meet(credential, row?.caller)
      const owner = row?.owner ?? undefined
      const found = row?.project ?? undefined
      const relations = relationsOf(caller, owner, row?.role, named)
      if (found?.publicRead) relations.add('public')
      if (found === undefined && caller.kind === 'user' && owner !== undefined) {
        if (await sharesProjectOf(db, caller.userId, owner.userId)) relations.add('neighbour')
      }
      const missing = () => noSuchProject(named.owner, named.handle)
      const project = passed(action, caller, relations, found, missing)
      const instance =
        row?.instance == null ? undefined : { ...row.instance, owner: row.instanceOwner ?? '' }
      const collection = collectionOf(project.collectionId, row?.collection)
      return { caller, project: { ...project, owner: named.owner, instance, collection } }
    },
  }
}

interface FoundCollection {
  readonly vectors: number
  readonly dimensions: number | null
  readonly kind: SearchIndex['kind'] | null
}

/** @param found without its id, which the project has as well */
function collectionOf(collectionId: number, found: FoundCollection | null | undefined) {
  const { vectors, dimensions, kind } = found ?? { vectors: 0, dimensions: null, kind: null }
  const index: SearchIndex | undefined =
    kind === null || dimensions === null ? undefined : { collectionId, vectors, dimensions, kind }
  return { collectionId, vectors, dimensions, index }
}

const parameters = (credential: Credential, { owner, handle }: Named) => ({
  keyHash: credential.keyHash ?? null,
  owner,
  handle,
})

function relationsOf(
  caller: Caller,
  owner: Account | undefined,
  role?: Relation | null,
  named?: Named,
): Set<Relation> {
  const relations = new Set<Relation>()
  if (caller.kind === 'admin') relations.add('admin')
  if (owner !== undefined && isUser(caller, owner.userId)) relations.add('owner')
  if (role != null) {
    relations.add(role).add('neighbour')
    if (caller.kind === 'user' && caller.handle === named?.subject) relations.add('subject')
  }
  return relations
}

/** Passes `thing` on when the rules allow it. @throws 401, 403 or, for what is missing, `missing` */
function passed<T>(
  action: Action,
  caller: Caller,
  relations: ReadonlySet<Relation>,
  thing: T | undefined,
  missing: () => ServiceError,
): T {
  const authenticated = caller.kind !== 'anonymous'
  const verdict = decide(action, { authenticated, relations, exists: thing !== undefined })
  if (verdict === 'unauthorized') throw unauthorized()
  if (verdict === 'forbidden') throw forbidden('You have no permission for this operation')
  if (thing === undefined) throw missing()
  return thing
}
