import { type Caller, namedKeyOf } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import { forbiddenOperation } from '../errors.ts'

/** For whom texts of a project are embedded, and how many. */
type Spending = Pick<Project, 'textQueries' | 'textQueryBudget'>

/** Of a project that says nothing of it. */
export const usualSpending: Spending = { textQueries: 'off', textQueryBudget: null }

/**
 * What a provider is paid for is decided with the first key: a named one can only turn it off.
 * @throws 403 when a named key would change it otherwise
 */
export function refuseSpending(
  caller: Caller,
  before: Spending,
  {
    textQueries = 'off',
    textQueryBudget = before.textQueryBudget,
  }: { readonly [Field in keyof Spending]?: Spending[Field] | undefined },
): void {
  if (namedKeyOf(caller) === undefined) return
  const isLess = textQueries === 'off' || textQueries === before.textQueries
  const isSame = sameBudget(before.textQueryBudget, textQueryBudget)
  if (isLess && isSame) return
  const field = isLess ? 'text_query_budget' : 'text_queries'
  throw forbiddenOperation(`to change ${field} it needs the user's first key`)
}

/**
 * What may be spent was decided for the instance that the project had then.
 * @throws 403 when a named key would have another paid for it
 */
export function refuseOtherPayee(caller: Caller, { textQueries, textQueryBudget }: Spending): void {
  if (namedKeyOf(caller) === undefined) return
  if (textQueries === 'off' && sameBudget(textQueryBudget, null)) return
  throw forbiddenOperation(
    "to change the instance of a project that has text_queries or text_query_budget it needs the user's first key",
  )
}

const sameBudget = (one: Spending['textQueryBudget'], other: Spending['textQueryBudget']) =>
  (['requests', 'characters', 'caller_requests', 'caller_characters'] as const).every(
    (field) => one?.[field] === other?.[field],
  )
