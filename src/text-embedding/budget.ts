import { and, eq, lt, sql } from 'drizzle-orm'
import type { BudgetLeft } from '../access/asker.ts'
import type { Project } from '../access/project.ts'
import type { Database, Db } from '../db/database.ts'
import { usualBudget } from '../db/text-query-columns.ts'
import { textQueryUsage } from '../db/usage-schema.ts'
import { ServiceError } from '../errors.ts'

interface Cost {
  readonly requests: number
  readonly characters: number
}

const today = sql`(now() at time zone 'UTC')::date`
/** In the place of a caller: all of them. */
const everyone = ''

/**
 * Counts texts before they are embedded, whatever comes of it; what is too much is not counted.
 * @param caller what the caller is known by, not ''
 * @throws 429 with when it ends
 */
export function chargeBudget(
  database: Database,
  project: Project,
  caller: string,
  cost: Cost,
): Promise<readonly BudgetLeft[]> {
  const budget = { ...usualBudget, ...project.textQueryBudget }
  return database.short.transaction(async ({ db }) => {
    const { all, own, seconds } = await count(db, project.projectId, caller, cost)
    const left = [
      { name: 'project-texts', most: budget.requests, used: all.requests },
      { name: 'project-characters', most: budget.characters, used: all.characters },
      { name: 'caller-texts', most: budget.caller_requests, used: own.requests },
      { name: 'caller-characters', most: budget.caller_characters, used: own.characters },
    ].map(({ name, most = 0, used }) => ({ name, most, rest: most - used, seconds }))
    const spent = left.find(({ rest }) => rest < 0)
    // Thrown inside, so that it is not counted.
    if (spent !== undefined) throw overBudget(project, spent)
    if (all.requests === cost.requests) await forgetOtherDays(db, project.projectId)
    return left
  })
}

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
      set: {
        requests: sql`${textQueryUsage.requests} + excluded.requests`,
        characters: sql`${textQueryUsage.characters} + excluded.characters`,
      },
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
