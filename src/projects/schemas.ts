import { z } from '@hono/zod-openapi'
import { keyAccesses } from '../access/rules.ts'
import { textQueryAudiences, usualBudget } from '../db/text-query-columns.ts'
import { pathOf } from '../filters/metadata-path.ts'
import {
  closedObject,
  Description,
  flag,
  NewHandle,
  oneOf,
  parseItems,
  text,
  UserHandle,
} from '../http/schemas.ts'
import { maxSchemeBytes } from '../metadata-schemes/metadata-schemes.ts'
import { RoleSchema } from '../sharing/schemas.ts'
import { visibilities } from './list-readable.ts'

const PublicRead = z
  .boolean()
  .describe('Whether anyone may read and search the embeddings without a key.')
const MetadataScheme = text(maxSchemeBytes).describe(
  'A JSON Schema (draft-07 unless $schema names 2019-09 or 2020-12) as a string, which the metadata of every uploaded embedding must satisfy. It has at most 64 KiB, 32 levels and 1,000 objects and arrays, only local $ref, patterns in RE2, and no checks of formats.',
)

const maxOrdering = 8
const FieldPath = text(1_000).superRefine((path, context) => {
  const keys = pathOf(path)
  if (typeof keys === 'string') context.addIssue({ code: 'custom', message: keys })
})
export const ReadingOrder = z
  .array(FieldPath)
  .min(1, 'must name a field')
  .max(maxOrdering, `must have at most ${maxOrdering} fields`)
  .describe(
    'Metadata fields in dot notation in whose order the texts are read, such as ["ref.book", "ref.chapter", "ref.verse"]: texts that are equal in all but the last stand together, in the order of the last. Without it, the last number of the text_id decides.',
  )

const TextQueries = oneOf(textQueryAudiences).describe(
  "Who may have texts embedded with the key of the project's instance: nobody (off, the default), the owner and users with a share (members), or whoever may read the project (everybody).",
)
const budget = (what: string, usual: number) =>
  z.int().min(0).max(1e9).optional().describe(`${what} Default: ${usual}.`)
const Budget = closedObject({
  requests: budget('Embedded texts.', usualBudget.requests),
  characters: budget('Their characters.', usualBudget.characters),
  caller_requests: budget('Texts per caller or address.', usualBudget.caller_requests),
  caller_characters: budget('Their characters.', usualBudget.caller_characters),
}).describe(
  "Limits per day (UTC) for texts embedded for searches, for uploads by editors, and for the owner's uploads with a named key. Only the first key can change text_query_budget and text_queries; a named key can only turn text_queries off.",
)

const NewShare = z.object({ user_handle: text(100), role: RoleSchema })

const parseShares = parseItems(NewShare)

/** `preprocess` validates; the array schema is what the OpenAPI document shows. */
const NewShares = z.preprocess(
  (shares, context) => (Array.isArray(shares) ? parseShares(shares, context) : shares),
  z.array(NewShare),
)

/** The fields that PATCH may change. */
const changeable = {
  description: Description.nullish(),
  public_read: PublicRead.nullish(),
  metadataScheme: MetadataScheme.nullish(),
  reading_order: ReadingOrder.nullish(),
  text_queries: TextQueries.nullish(),
  text_query_budget: Budget.nullish(),
}

/** The body of PUT. POST also requires the handle. */
export const PutProject = z
  .object({
    project_handle: NewHandle.optional(),
    instance_owner: text(100),
    instance_handle: text(100).describe('The instance whose model makes the embeddings.'),
    ...changeable,
    shared_with: NewShares.nullish().describe('Users to share the new project with.'),
  })
  .openapi('ProjectInput')

// Built from the shape and not with `extend`, which would leave an empty part in the OpenAPI
// document.
export const NewProject = z
  .object({ ...PutProject.shape, project_handle: NewHandle })
  .openapi('NewProject')

export const ProjectPatch = z
  .object({ project_handle: z.string().optional(), ...changeable })
  .openapi('ProjectPatch')

export const Transfer = z.object({ new_owner_handle: text(100) })

/** A project in the answer to a write. */
export const WrittenProject = z
  .object({
    project_id: z.int(),
    project_handle: z.string(),
    owner: UserHandle,
    description: Description.optional(),
    instance_owner: UserHandle.optional(),
    instance_handle: z.string().optional(),
    instance_id: z.int().optional().describe("Absent if the instance's owner was deleted."),
    public_read: PublicRead,
    metadataScheme: MetadataScheme.optional(),
    reading_order: ReadingOrder.optional(),
  })
  .openapi('WrittenProject')

export const ProjectSchema = WrittenProject.extend({
  model: z.string().optional().describe('Query vectors must come from the same model.'),
  dimensions: z.int().optional().describe('Those of stored vectors and query vectors.'),
  embeds_texts: z
    .boolean()
    .describe('Whether the instance has an endpoint, so that texts can be embedded.'),
  text_queries: TextQueries,
  text_query_budget: Budget.optional(),
  embedding_count: z.int(),
  created_at: z.iso.datetime().openapi({ example: '2026-11-21T20:25:06.000Z' }),
  last_upload: z.iso.datetime().optional().describe('Absent if there are no embeddings.'),
}).openapi('Project')

export const TransferAnswer = z.object({
  message: z.string(),
  old_owner: z.string(),
  new_owner: z.string(),
  project_handle: z.string(),
  new_path: z.string(),
})

const pageFields = { limit: z.int(), offset: z.int() }

export const ProjectList = z
  .object({
    projects: z.array(
      ProjectSchema.extend({
        role: RoleSchema.optional().describe("The user's role in a shared project."),
      }),
    ),
    total_count: z.int(),
    ...pageFields,
  })
  .openapi('ProjectList')

export const IncludeShared = flag(
  'include_shared',
  'Also list the projects that are shared with the user, with the role in each.',
)

export const VisibilitySchema = z
  .enum(visibilities, { error: `visibility must be ${visibilities.join(', ')}` })
  .optional()
  .describe(
    'Only own projects, those shared with the caller, or public ones. The first two need a key.',
  )

/** A page of the projects that the caller may read. */
const visiblePage = {
  projects: z.array(
    ProjectSchema.extend({
      role: z
        .enum(['owner', 'editor', 'reader'])
        .optional()
        .describe("The caller's role, if it is what lets the caller read the project."),
    }).openapi('VisibleProject'),
  ),
  total_count: z.int().optional().describe('The number on all pages; absent above 10,000.'),
  ...pageFields,
}

export const VisibleProjects = z.object(visiblePage).openapi('VisibleProjects')

const CallerKey = z
  .object({
    key_handle: UserHandle,
    access: z.enum(keyAccesses),
    is_limited: z.boolean().describe('Whether the key is limited to certain projects.'),
    expires_at: z.iso.datetime().optional(),
  })
  .describe("The rights of the key; absent for a user's first key.")

export const Me = z
  .object({
    user_handle: UserHandle.optional().describe('Absent for the administrator key.'),
    is_admin: z.boolean(),
    key: CallerKey.optional(),
    embedding_hosts: z
      .array(z.string())
      .describe(
        'The hosts that this server may ask for embeddings, in the form of SERVICE_EMBEDDINGHOSTS. Empty if its operator allows none.',
      ),
    ...visiblePage,
  })
  .openapi('Me')

export const examplePutProject = {
  instance_owner: 'alice',
  instance_handle: 'my-model',
  description: 'Verses of the four gospels',
}
export const exampleNewProject = { project_handle: 'verses', ...examplePutProject }

export const exampleWrittenProject = {
  project_id: 1,
  owner: 'alice',
  instance_id: 1,
  ...exampleNewProject,
  public_read: false,
}

export const exampleProject = {
  ...exampleWrittenProject,
  model: 'small',
  dimensions: 3,
  embeds_texts: true,
  text_queries: 'members' as const,
  embedding_count: 3779,
  created_at: '2026-11-21T20:25:06.000Z',
  last_upload: '2026-11-21T20:25:09.000Z',
}

export const exampleTransfer = {
  message: "Project 'alice/verses' transferred to 'bob'",
  old_owner: 'alice',
  new_owner: 'bob',
  project_handle: 'verses',
  new_path: '/v1/projects/bob/verses',
}

const examplePaging = { total_count: 1, limit: 10, offset: 0 }
export const examplePage = { projects: [exampleProject], ...examplePaging }
export const exampleVisiblePage = {
  projects: [{ ...exampleProject, role: 'owner' as const }],
  ...examplePaging,
}
export const exampleCaller = {
  user_handle: 'alice',
  is_admin: false,
  embedding_hosts: ['localhost:11434'],
  ...exampleVisiblePage,
}

const invalidScheme =
  'metadataScheme is not a valid JSON Schema: schema/type must be equal to one of the allowed values, schema/type must be array, schema/type must match a schema in anyOf'
export const badScheme = {
  422: ['metadataScheme is not a valid JSON Schema', invalidScheme],
} as const
