import { and, eq, lt, type SQLWrapper, sql } from 'drizzle-orm'
import type { BudgetLeft } from '../access/granted-project.ts'
import type { Project } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import { usualBudget } from '../db/text-query-columns.ts'
import { loanUsage, textQueryUsage } from '../db/usage-schema.ts'
import { ServiceError } from '../errors.ts'

interface Cost {
  readonly requests: number
  readonly characters: number
}

const today = sql`(now() at time zone 'UTC')::date`
/** Stands for all callers in the usage table. */
const everyone = ''

/** A daily limit per instance, in addition to the budgets of projects. */
interface InstanceBound {
  readonly instanceId: number
  /**
   * Whether the key belongs to another user. The project's owner cannot raise that user's limit.
   */
  readonly isLent: boolean
}

/** What is charged to whose budget. */
export interface Charge {
  /** Identifies the caller; never ''. */
  readonly caller: string
  /**
   * Whether the caller owns the project or has a share of it. Others may use only a part of the
   * budget, which leaves the rest to members.
   */
  readonly isMember: boolean
  /**
   * Set if the key is not the caller's own to spend. All projects of their owner then share one
   * limit for the instance.
   */
  readonly bound: InstanceBound | undefined
}

const strangersPart = 3 / 4

/**
 * Counts texts before they are embedded, even if embedding fails later. Texts that exceed a budget
 * are not counted.
 * @throws 429 with the time until the budget renews
 */
export function chargeBudget(
  database: Database,
  project: Project,
  { caller, isMember, bound }: Charge,
  cost: Cost,
): Promise<readonly BudgetLeft[]> {
  const budget = budgetOf(project)
  return database.short.transaction(async ({ db }) => {
    const { all, own, seconds } = await count(db, project.projectId, caller, cost)
    const part = isMember ? 1 : strangersPart
    const bounded = bound && (await countLoan(db, bound.instanceId, project.ownerId, cost))
    const most = bound?.isLent ? usualBudget : largerOf(budget, usualBudget)
    const left = [
      { name: 'project-texts', most: budget.requests * part, used: all.requests },
      { name: 'project-characters', most: budget.characters * part, used: all.characters },
      ...(bounded
        ? [
            { name: 'instance-texts', most: most.requests, used: bounded.requests },
            { name: 'instance-characters', most: most.characters, used: bounded.characters },
          ]
        : []),
      { name: 'caller-texts', most: budget.caller_requests, used: own.requests },
      { name: 'caller-characters', most: budget.caller_characters, used: own.characters },
    ].map(({ name, most, used }) => ({
      name,
      most: Math.floor(most),
      seconds,
      rest: Math.floor(most) - used,
    }))
    const spent = left.find(({ rest }) => rest < 0)
    // Throwing inside the transaction rolls the counts back.
    if (spent !== undefined) throw overBudget(project, spent)
    if (all.requests === cost.requests) await forgetOtherDays(db, project.projectId)
    return left
  })
}

function budgetOf({ textQueryBudget }: Project) {
  const { requests, characters, caller_requests, caller_characters } = textQueryBudget ?? {}
  return {
    requests: requests ?? usualBudget.requests,
    characters: characters ?? usualBudget.characters,
    caller_requests: caller_requests ?? usualBudget.caller_requests,
    caller_characters: caller_characters ?? usualBudget.caller_characters,
  }
}

const largerOf = (one: Cost, other: Cost): Cost => ({
  requests: Math.max(one.requests, other.requests),
  characters: Math.max(one.characters, other.characters),
})

/** The row of all callers always comes first, so that concurrent transactions cannot deadlock. */
async function count(db: Db, projectId: number, caller: string, cost: Cost) {
  const row = { projectId, day: today, ...cost }
  const rows = await db
    .insert(textQueryUsage)
    .values([
      { ...row, caller: everyone },
      { ...row, caller },
    ])
    .onConflictDoUpdate({
      target: [textQueryUsage.projectId, textQueryUsage.day, textQueryUsage.caller],
      set: added(textQueryUsage),
    })
    .returning({
      caller: textQueryUsage.caller,
      requests: textQueryUsage.requests,
      characters: textQueryUsage.characters,
      seconds: sql`ceil(extract(epoch from ${today} + 1 - (now() at time zone 'UTC')))`.mapWith(
        Number,
      ),
    })
  const usageOf = (name: string) => rows.find((found) => found.caller === name) ?? cost
  return { all: usageOf(everyone), own: usageOf(caller), seconds: rows[0]?.seconds ?? 0 }
}

/** Always the last row to be locked, so that concurrent transactions cannot deadlock. */
async function countLoan(db: Db, instanceId: number, borrowerId: number, cost: Cost) {
  const { requests, characters } = loanUsage
  const [counted = cost] = await db
    .insert(loanUsage)
    .values({ instanceId, borrowerId, day: today, ...cost })
    .onConflictDoUpdate({
      target: [loanUsage.instanceId, loanUsage.borrowerId, loanUsage.day],
      set: added(loanUsage),
    })
    .returning({ requests, characters })
  if (counted.requests === cost.requests) {
    const own = and(eq(loanUsage.instanceId, instanceId), eq(loanUsage.borrowerId, borrowerId))
    await db.delete(loanUsage).where(and(own, lt(loanUsage.day, today)))
  }
  return counted
}

/** Adds to the counts stored already. */
const added = (usage: Readonly<Record<keyof Cost, SQLWrapper>>) => ({
  requests: sql`${usage.requests} + excluded.requests`,
  characters: sql`${usage.characters} + excluded.characters`,
})

/** Runs with the first text of a day. The names of earlier days' callers are not kept. */
const forgetOtherDays = (db: Db, projectId: number) =>
  db
    .delete(textQueryUsage)
    .where(and(eq(textQueryUsage.projectId, projectId), lt(textQueryUsage.day, today)))

function overBudget({ owner, handle }: Project, budget: BudgetLeft & { readonly most: number }) {
  const { name, most, seconds } = budget
  return new ServiceError(
    'too-many-requests',
    `This would be more than ${most} ${name.replace('-', ' ')} embedded today for '${owner}/${handle}' (text_query_budget of the project); it begins anew in ${seconds} s`,
    { retryAfter: seconds },
  )
}
