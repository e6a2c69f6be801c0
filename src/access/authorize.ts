import { forbiddenOperation, type ServiceError, unauthorized } from '../errors.ts'
import type { Caller } from './caller.ts'
import { type Action, decide, type Relation } from './rules.ts'

/** What one look-up has found: who calls, what the request names, and how the two are related. */
export interface Found<Thing> {
  readonly caller: Caller
  readonly relations: ReadonlySet<Relation>
  /** Undefined when there is no such thing. */
  readonly thing: Thing | undefined
}

/**
 * Lets the caller through when the table of rules allows the action.
 * @param missing the error for what does not exist, as far as the caller may know that
 * @throws 401, 403 or `missing`
 */
export function authorize<Thing>(
  action: Action,
  { caller, relations, thing }: Found<Thing>,
  missing: () => ServiceError,
): Thing {
  const authenticated = caller.kind !== 'anonymous'
  const verdict = decide(action, { authenticated, relations, exists: thing !== undefined })
  if (verdict === 'unauthorized') throw unauthorized()
  if (verdict === 'forbidden') throw forbiddenOperation()
  if (thing === undefined) throw missing()
  return thing
}
