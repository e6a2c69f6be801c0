import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core'
import { byteOrderedText, creationTime, generatedId, id } from './columns.ts'
import { projects, users } from './schema.ts'

/**
 * The named keys of users; a user's first key is in `users`. Named keys are shown only when they
 * are issued, so no sealed copy of them is kept.
 */
export const userKeys = pgTable(
  'user_keys',
  {
    keyId: generatedId('key_id'),
    userId: id('user_id')
      .notNull()
      .references(() => users.userId, { onDelete: 'cascade' }),
    handle: byteOrderedText('key_handle').notNull(),
    description: text('description'),
    /** SHA-256 of the key in hex. */
    keyHash: text('key_hash').notNull().unique(),
    access: text('access', { enum: ['read', 'write'] }).notNull(),
    /** Whether it reaches only the projects of `key_projects`, which may be none by now. */
    isLimited: boolean('is_limited').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    createdAt: creationTime(),
    /** It lags by some minutes: see src/users/keys/uses.ts. */
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (table) => [
    check('user_keys_access', sql`${table.access} in ('read', 'write')`),
    unique('user_keys_user_handle').on(table.userId, table.handle),
  ],
)

/** The projects that a limited key reaches; not others that get their handles later. */
export const keyProjects = pgTable(
  'key_projects',
  {
    keyId: id('key_id')
      .notNull()
      .references(() => userKeys.keyId, { onDelete: 'cascade' }),
    projectId: id('project_id')
      .notNull()
      .references(() => projects.projectId, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.projectId] }),
    index('key_projects_project').on(table.projectId),
  ],
)
