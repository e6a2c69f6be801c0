import { forbiddenOperation, type ServiceError, unauthorized } from '../errors.ts'
import { type Caller, limitingKeyOf, scopeOf } from './caller.ts'
import { type Action, decide, lackOf, type Relation, roleFor } from './rules.ts'

/** What one look-up found: the caller, what the request names, and how the two are related. */
export interface Found<Thing> {
  readonly caller: Caller
  readonly relations: ReadonlySet<Relation>
  /** Undefined if it does not exist. */
  readonly thing: Thing | undefined
}

/**
 * Lets the caller through if the table of rules allows the action.
 * @param missing the error for a thing that does not exist, if the caller may know that
 * @throws 401, 403 or `missing`
 */
export function authorize<Thing>(
  action: Action,
  { caller, relations, thing }: Found<Thing>,
  missing: () => ServiceError,
): Thing {
  const authenticated = caller.kind !== 'anonymous'
  const scope = scopeOf(caller)
  const verdict = decide(action, { scope, authenticated, relations, exists: thing !== undefined })
  if (verdict === 'unauthorized') throw unauthorized()
  if (verdict === 'forbidden') throw refusal(action, { caller, relations, thing })
  if (thing === undefined) throw missing()
  return thing
}

/**
 * Reveals no more than the caller knows: what depends on the key and the action is the same for all
 * things.
 */
function refusal(action: Action, { caller, relations, thing }: Found<unknown>): ServiceError {
  const ofKey = lackOf(action, scopeOf(caller))
  if (ofKey !== undefined) return forbiddenOperation(ofKey, { needs: ofKey })
  const lack = roleFor(action, relations)
  if (thing !== undefined && maySee(action, relations)) {
    const own = lack.role === 'none' ? 'you have none' : `yours is ${lack.role}`
    return forbiddenOperation(`it needs the role ${lack.needs}, and ${own}`, lack)
  }
  const isLimited = action.startsWith('project') && limitingKeyOf(caller) !== undefined
  return forbiddenOperation(isLimited ? 'the key is limited to other projects' : undefined, lack)
}

/**
 * Whether the caller knows of the thing anyway: they have a share of it, or the project is public.
 */
const maySee = (action: Action, relations: ReadonlySet<Relation>) =>
  relations.has('reader') ||
  relations.has('editor') ||
  (relations.has('public') && action.startsWith('project:'))
