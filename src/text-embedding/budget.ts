import { and, eq, lt, type SQLWrapper, sql } from 'drizzle-orm'
import type { BudgetLeft } from '../access/asker.ts'
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
/** In the place of a caller: all of them. */
const everyone = ''

/** What an instance is good for beside the budgets of projects, in a day. */
interface InstanceBound {
  readonly instanceId: number
  /** Whether its key is another user's: that user's patience is not for the project's owner to set. */
  readonly isLent: boolean
}

/** Who pays, and how far. */
export interface Payer {
  /** What the caller is known by, not ''. */
  readonly caller: string
  /** Whether the caller owns the project or has a share of it: others leave a part of its budget to these. */
  readonly isMember: boolean
  /** The instance whose key is not the caller's own, freely: then all projects of their owner count as one. */
  readonly bound: InstanceBound | undefined
}

const strangersPart = 3 / 4

/**
 * Counts texts before they are embedded, whatever comes of it; what is too much is not counted.
 * @throws 429 with when it ends
 */
export function chargeBudget(
  database: Database,
  project: Project,
  { caller, isMember, bound }: Payer,
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
      ...{ name, most: Math.floor(most), seconds },
      rest: Math.floor(most) - used,
    }))
    const spent = left.find(({ rest }) => rest < 0)
    // Thrown inside, so that it is not counted.
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

/** The row of all callers first, always, so that no two wait for one another. */
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

/** Last, so that no two wait for one another. */
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

/** To what stands there already. */
const added = (usage: Readonly<Record<keyof Cost, SQLWrapper>>) => ({
  requests: sql`${usage.requests} + excluded.requests`,
  characters: sql`${usage.characters} + excluded.characters`,
})

/** With the first text of a day, so that who asked in earlier days is not kept. */
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
