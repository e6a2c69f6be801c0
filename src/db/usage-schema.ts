import { bigint, date, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { byteOrderedText } from './columns.ts'
import { instances, projects, users } from './schema.ts'

const count = (name: string) => bigint(name, { mode: 'number' }).notNull()

/**
 * How much a project's provider was asked on a day, by each caller. The caller '' stands for all of
 * them.
 */
export const textQueryUsage = pgTable(
  'text_query_usage',
  {
    projectId: count('project_id').references(() => projects.projectId, { onDelete: 'cascade' }),
    day: date('day').notNull(),
    caller: byteOrderedText('caller').notNull(),
    requests: count('requests'),
    characters: count('characters'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.caller] })],
)

/**
 * What was embedded on a day with the key of an instance for a user who only has a share of it. It
 * counts all of that user's projects, even if they were deleted or have another instance by now.
 */
export const loanUsage = pgTable(
  'loan_usage',
  {
    instanceId: count('instance_id').references(() => instances.instanceId, {
      onDelete: 'cascade',
    }),
    borrowerId: count('borrower_id').references(() => users.userId, { onDelete: 'cascade' }),
    day: date('day').notNull(),
    requests: count('requests'),
    characters: count('characters'),
  },
  (table) => [primaryKey({ columns: [table.instanceId, table.borrowerId, table.day] })],
)
