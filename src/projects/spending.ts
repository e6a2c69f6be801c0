import { type Caller, namedKeyOf } from '../access/caller.ts'
import type { Project } from '../access/project.ts'
import { forbiddenOperation } from '../errors.ts'

/** Who may have texts embedded for a project, and how many. */
type Spending = Pick<Project, 'textQueries' | 'textQueryBudget'>

/**
 * Only the first key decides what a provider is paid for. A named key can only turn it off.
 * @throws 403 if a named key would change it otherwise
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
  if (isLess && isSameBudget(before.textQueryBudget, textQueryBudget)) return
  const field = isLess ? 'text_query_budget' : 'text_queries'
  throw forbiddenOperation(`to change ${field} it needs the user's first key`)
}

/**
 * The budget was approved for the project's current instance.
 * @throws 403 if a named key would make another instance's owner pay
 */
export function refuseOtherPayee(caller: Caller, { textQueries, textQueryBudget }: Spending): void {
  if (namedKeyOf(caller) === undefined) return
  if (textQueries === 'off' && isSameBudget(textQueryBudget, null)) return
  throw forbiddenOperation(
    "to change the instance of a project that has text_queries or text_query_budget it needs the user's first key",
  )
}

const isSameBudget = (one: Spending['textQueryBudget'], other: Spending['textQueryBudget']) =>
  (['requests', 'characters', 'caller_requests', 'caller_characters'] as const).every(
    (field) => one?.[field] === other?.[field],
  )
