import { z } from '@hono/zod-openapi'
import { keyAccesses } from '../access/rules.ts'
import { textQueryAudiences, usualBudget } from '../db/text-query-columns.ts'
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

const PublicRead = z.boolean().openapi({
  description: 'Whether anyone may read and search the embeddings without a key.',
})
const MetadataScheme = text(maxSchemeBytes).openapi({
  description:
    'A JSON Schema as a string of at most 64 KiB, with at most 32 levels and 1,000 objects and arrays. $schema selects draft-07 (default), 2019-09 or 2020-12. Only local $ref are allowed, patterns use RE2, and formats are not checked. The metadata of every uploaded embedding must satisfy it.',
})

const TextQueries = oneOf(textQueryAudiences).openapi({
  description:
    "Who may have texts embedded with the key of the project's instance: nobody (off, the default), the owner and users with a share (members), or whoever may read the project (everybody).",
})
const budgetOf = (description: string) =>
  z.int().min(0).max(1e9).optional().openapi({ description })
const Budget = closedObject({
  requests: budgetOf(`Number of embedded texts. Default: ${usualBudget.requests}.`),
  characters: budgetOf(`Number of their characters. Default: ${usualBudget.characters}.`),
  caller_requests: budgetOf(
    `Number of texts per caller or, without a key, per address. Default: ${usualBudget.caller_requests}.`,
  ),
  caller_characters: budgetOf(
    `Number of their characters. Default: ${usualBudget.caller_characters}.`,
  ),
}).openapi({
  description:
    "Limits per day (UTC) for texts embedded for searches, for uploads by editors, and for the owner's uploads with a named key. Only the first key can change text_query_budget and text_queries; a named key can only turn text_queries off.",
})

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
  text_queries: TextQueries.nullish(),
  text_query_budget: Budget.nullish(),
}

/** The body of PUT. POST also requires the handle. */
export const PutProject = z
  .object({
    project_handle: NewHandle.optional(),
    instance_owner: text(100).openapi({ description: 'Owner of the instance.' }),
    instance_handle: text(100).openapi({
      description: 'The instance whose model makes the embeddings.',
    }),
    ...changeable,
    shared_with: NewShares.nullish().openapi({
      description: 'Users to share the new project with.',
    }),
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
    instance_id: z.int().optional().openapi({
      description: "Absent, like the instance's owner and handle, if that owner was deleted.",
    }),
    public_read: PublicRead,
    metadataScheme: MetadataScheme.optional(),
  })
  .openapi('WrittenProject')

export const ProjectSchema = WrittenProject.extend({
  model: z.string().optional().openapi({
    description: 'The model of the instance. Query vectors must come from the same model.',
  }),
  dimensions: z.int().optional().openapi({
    description: 'The number of dimensions of stored vectors and query vectors.',
  }),
  text_queries: TextQueries,
  text_query_budget: Budget.optional(),
  embedding_count: z.int().openapi({ description: 'The number of stored embeddings.' }),
  created_at: z.iso.datetime().openapi({ example: '2026-11-21T20:25:06.000Z' }),
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
        role: RoleSchema.optional().openapi({
          description: "With include_shared: the user's role in a shared project.",
        }),
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
  .openapi({
    description:
      "own: only the caller's projects. shared: only those shared with the caller. public: only public ones. The first two need a key.",
  })

/** A page of the projects that the caller may read. */
const visiblePage = {
  projects: z.array(
    ProjectSchema.extend({
      role: z.enum(['owner', 'editor', 'reader']).optional().openapi({
        description:
          "The caller's role. Absent if the caller can read the project only through public_read or the administrator key.",
      }),
    }).openapi('VisibleProject'),
  ),
  total_count: z.int().optional().openapi({
    description: 'The number on all pages; absent above 10,000.',
  }),
  ...pageFields,
}

export const VisibleProjects = z.object(visiblePage).openapi('VisibleProjects')

const CallerKey = z
  .object({
    key_handle: UserHandle,
    access: z.enum(keyAccesses),
    is_limited: z
      .boolean()
      .openapi({ description: 'Whether the key is limited to certain projects.' }),
    expires_at: z.iso.datetime().optional(),
  })
  .openapi({ description: "The rights of the key; absent for a user's first key." })

export const Me = z
  .object({
    user_handle: UserHandle.optional().openapi({
      description: 'Absent for the administrator key.',
    }),
    is_admin: z.boolean(),
    key: CallerKey.optional(),
    ...visiblePage,
  })
  .openapi('Me')

export const exampleNewProject = {
  project_handle: 'verses',
  instance_owner: 'alice',
  instance_handle: 'my-model',
  description: 'Verses of the four gospels',
  public_read: true,
}

export const exampleWrittenProject = {
  project_id: 1,
  owner: 'alice',
  instance_id: 1,
  ...exampleNewProject,
}

export const exampleProject = {
  ...exampleWrittenProject,
  model: 'small',
  dimensions: 3,
  text_queries: 'members' as const,
  embedding_count: 3779,
  created_at: '2026-11-21T20:25:06.000Z',
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
export const exampleCaller = { user_handle: 'alice', is_admin: false, ...exampleVisiblePage }

const invalidScheme =
  'metadataScheme is not a valid JSON Schema: schema/type must be equal to one of the allowed values, schema/type must be array, schema/type must match a schema in anyOf'
export const badScheme = {
  422: ['metadataScheme is not a valid JSON Schema', invalidScheme],
} as const
