// biome-ignore-all lint/style/noExcessiveLinesPerFile: all tables of the database in one place
import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core'
import { byteOrderedText, creationTime, generatedId, id } from './columns.ts'
import { indexKinds, vector } from './pgvector.ts'
import { requestFormats, type TextQueryBudget, textQueryAudiences } from './text-query-columns.ts'

/** Facts about this database itself, such as the text that proves the encryption key. */
export const databaseFacts = pgTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})

export const users = pgTable('users', {
  userId: generatedId('user_id'),
  handle: byteOrderedText('user_handle').notNull().unique(),
  name: text('name'),
  email: text('email'),
  /** SHA-256 of the API key in hex; null for `_system`, which cannot authenticate. */
  keyHash: text('key_hash').unique(),
  /** The API key sealed with ENCRYPTION_KEY, so that PUT can return it again. */
  keySealed: text('key_sealed'),
  createdAt: creationTime(),
})

export const apiStandards = pgTable(
  'api_standards',
  {
    handle: byteOrderedText('api_standard_handle').primaryKey(),
    description: text('description').notNull(),
    keyMethod: text('key_method', {
      enum: ['auth_bearer', 'auth_apikey', 'query_param', 'none'],
    }).notNull(),
    keyField: text('key_field').notNull(),
    /** Null for OpenAI's format. */
    requestFormat: text('request_format', { enum: requestFormats }),
  },
  (table) => [
    check(
      'api_standards_key_method',
      sql`${table.keyMethod} in ('auth_bearer', 'auth_apikey', 'query_param', 'none')`,
    ),
    check(
      'api_standards_request_format',
      sql`${table.requestFormat} in ('openai', 'cohere', 'gemini')`,
    ),
  ],
)

/** The columns that a definition and an instance have in common. */
const serviceColumns = () => ({
  ownerId: id('owner_id')
    .notNull()
    .references(() => users.userId, { onDelete: 'cascade' }),
  endpoint: text('endpoint').notNull(),
  description: text('description'),
  apiStandard: byteOrderedText('api_standard')
    .notNull()
    .references(() => apiStandards.handle, { onDelete: 'restrict' }),
  model: text('model').notNull(),
  dimensions: integer('dimensions').notNull(),
  /** How the model tells queries from documents; null for the request format's own way, or none. */
  queryInputType: text('query_input_type'),
  documentInputType: text('document_input_type'),
  queryPrefix: text('query_prefix'),
  documentPrefix: text('document_prefix'),
})

export const definitions = pgTable(
  'definitions',
  {
    definitionId: generatedId('definition_id'),
    handle: byteOrderedText('definition_handle').notNull(),
    ...serviceColumns(),
  },
  (table) => [
    unique('definitions_owner_handle').on(table.ownerId, table.handle),
    index('definitions_api_standard').on(table.apiStandard),
  ],
)

export const instances = pgTable(
  'instances',
  {
    instanceId: generatedId('instance_id'),
    handle: byteOrderedText('instance_handle').notNull(),
    ...serviceColumns(),
    definitionId: id('definition_id').references(() => definitions.definitionId, {
      onDelete: 'set null',
    }),
    /** The provider's key sealed with ENCRYPTION_KEY. */
    keySealed: text('key_sealed'),
  },
  (table) => [
    unique('instances_owner_handle').on(table.ownerId, table.handle),
    index('instances_api_standard').on(table.apiStandard),
    index('instances_definition').on(table.definitionId),
  ],
)

/** The columns that shares of instances and of projects have in common, besides `sharedId`. */
const shareColumns = () => ({
  userId: id('user_id')
    .notNull()
    .references(() => users.userId, { onDelete: 'cascade' }),
  role: text('role', { enum: ['reader', 'editor'] }).notNull(),
})

export const instanceShares = pgTable(
  'instance_shares',
  {
    sharedId: id('instance_id')
      .notNull()
      .references(() => instances.instanceId, { onDelete: 'cascade' }),
    ...shareColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.sharedId, table.userId] }),
    index('instance_shares_user').on(table.userId),
  ],
)

/**
 * Groups the embeddings of a project, and has their number. A project that is emptied gets a new
 * collection. A collection that no project points to is dead, and is cleaned up in the background.
 */
export const collections = pgTable(
  'collections',
  {
    collectionId: generatedId('collection_id'),
    /** Changed in the transactions that add or delete embeddings, so it is always exact. */
    vectors: id('vectors').notNull().default(0),
    /** How many times embeddings were added or deleted. */
    revision: id('revision').notNull().default(0),
    /** The dimensions of all its vectors; null before the first one. */
    dimensions: integer('dimensions'),
    components: id('components').generatedAlwaysAs(sql`vectors * coalesce(dimensions, 0)`),
    /** The kind of the index that searches use; null without an index. */
    searchIndex: text('search_index', { enum: indexKinds }),
    /** `vectors` at the previous look, to tell whether it still grows. */
    measuredVectors: id('measured_vectors'),
    measuredAt: timestamp('measured_at', { withTimezone: true }),
    /** When embeddings were last added; null before the first. */
    addedAt: timestamp('added_at', { withTimezone: true }),
    /** Unused. Servers of an older version write it. */
    longestPause: doublePrecision('longest_pause'),
  },
  (table) => [
    // The migration that made this constraint also allows a kind that no version writes.
    check(
      'collections_search_index',
      sql`${table.searchIndex} in ('halfvec_l2', 'halfvec', 'bit')`,
    ),
    index('collections_components').on(table.components),
    index('collections_indexed')
      .on(table.collectionId)
      .where(sql`${table.searchIndex} is not null`),
  ],
)

/**
 * The embeddings that the last changes of a collection were about, for servers that keep its
 * vectors in memory and have not made the change themselves. Rows are kept for some minutes.
 */
export const collectionChanges = pgTable(
  'collection_changes',
  {
    collectionId: id('collection_id')
      .notNull()
      .references(() => collections.collectionId, { onDelete: 'cascade' }),
    /** The collection's revision after this change. */
    revision: id('revision').notNull(),
    /** A list of text_ids; null if there are too many to read one by one. */
    textIds: jsonb('text_ids').$type<string[]>(),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.collectionId, table.revision] }),
    index('collection_changes_age').on(table.changedAt),
  ],
)

/**
 * What proves the files in which servers keep the vectors of a collection: it was as the file with
 * this hash says at this revision.
 */
export const vectorFiles = pgTable(
  'vector_files',
  {
    collectionId: id('collection_id')
      .notNull()
      .references(() => collections.collectionId, { onDelete: 'cascade' }),
    /** SHA-256. */
    hash: text('hash').notNull(),
    revision: id('revision').notNull(),
    writtenAt: timestamp('written_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.hash] })],
)

export const projects = pgTable(
  'projects',
  {
    projectId: generatedId('project_id'),
    ownerId: id('owner_id')
      .notNull()
      .references(() => users.userId, { onDelete: 'cascade' }),
    handle: byteOrderedText('project_handle').notNull(),
    description: text('description'),
    /** Null after the instance's owner was deleted. */
    instanceId: id('instance_id').references(() => instances.instanceId, { onDelete: 'set null' }),
    publicRead: boolean('public_read').notNull().default(false),
    /** Who may have texts embedded with the key of its instance. */
    textQueries: text('text_queries', { enum: textQueryAudiences }).notNull().default('off'),
    /** The budget for a day; null for the default one. */
    textQueryBudget: jsonb('text_query_budget').$type<TextQueryBudget>(),
    metadataScheme: text('metadata_scheme'),
    /** Paths of the metadata in whose order its texts are read; null for that of the text_ids. */
    readingOrder: jsonb('reading_order').$type<readonly string[]>(),
    createdAt: creationTime(),
    collectionId: id('collection_id')
      .notNull()
      .unique()
      .references(() => collections.collectionId),
  },
  (table) => [
    unique('projects_owner_handle').on(table.ownerId, table.handle),
    index('projects_instance').on(table.instanceId),
    // Finds what a caller may read, page by page in the order of creation.
    index('projects_owner').on(table.ownerId, table.projectId),
    index('projects_public').on(table.projectId).where(sql`${table.publicRead}`),
    check('projects_text_queries', sql`${table.textQueries} in ('off', 'members', 'everybody')`),
  ],
)

export const projectShares = pgTable(
  'project_shares',
  {
    sharedId: id('project_id')
      .notNull()
      .references(() => projects.projectId, { onDelete: 'cascade' }),
    ...shareColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.sharedId, table.userId] }),
    index('project_shares_user_project').on(table.userId, table.sharedId),
  ],
)
export type ShareTable = typeof instanceShares | typeof projectShares

/**
 * The one large table. Its only key is (collection_id, text_id), it has no owner and no sequence,
 * and every statement says `collection_id = …`, so that it can be distributed by collection without
 * a change of schema. The migrations keep vectors inline (STORAGE MAIN, toast_tuple_target 8160:
 * see docs/architecture.md, Storage). They also have the table vacuumed and analyzed after a fixed
 * number of changes, because a share of the whole table would be too late for a new collection.
 */
export const embeddings = pgTable(
  'embeddings',
  {
    collectionId: id('collection_id')
      .notNull()
      .references(() => collections.collectionId),
    createdAt: creationTime(),
    vectorDim: integer('vector_dim').notNull(),
    textId: byteOrderedText('text_id').notNull(),
    vector: vector('vector').notNull(),
    metadata: jsonb('metadata').$type<Record<string, unknown>>(),
    text: text('text'),
  },
  (table) => [primaryKey({ columns: [table.collectionId, table.textId] })],
)
