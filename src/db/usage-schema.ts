import { bigint, date, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { byteOrderedText } from './columns.ts'
import { projects } from './schema.ts'

const count = (name: string) => bigint(name, { mode: 'number' }).notNull()

/** What was asked of a project's provider in texts on a day, by each caller; with '' as the caller by all. */
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
