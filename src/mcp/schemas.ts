import { z } from '@hono/zod-openapi'
import { maxAsked } from './ask.ts'

/** Handles have no character that would need escaping in a URL, or that makes another path of it. */
const Project = z
  .string()
  .regex(/^[\w-]{1,100}\/[\w-][\w.-]{0,99}$/, 'must be owner/handle, as the tool projects has it')
  .describe('owner/handle')
const Filter = z.record(z.string(), z.unknown()).optional()
const Offset = z.int().min(0).default(0).describe('How many to skip, for the next page.')

/** What agents learn of each tool. Made once: a schema is compiled when it is first used. */
export const tools = {
  projects: {
    title: 'List projects',
    description:
      'Lists the projects that can be read: all public ones, and with a key those of its user. Each has texts with vectors of one model.',
    inputSchema: z.strictObject({ offset: Offset }),
  },
  search: {
    title: 'Search texts',
    description:
      'Finds texts of a project, or of several with one model: that have words, that mean something like a phrase (where the project\'s search_by_meaning is not "off"), that are like a stored text, or both, words and one of these.',
    inputSchema: z.strictObject({
      projects: z.array(Project).min(1).max(20),
      words: z.string().optional().describe('"a phrase" stands together, -word must not occur'),
      meaning: z.string().optional().describe('A phrase or a question'),
      text_id: z
        .string()
        .optional()
        .describe('A stored text of the first project, to find what is like it'),
      vector: z.string().optional().describe('Only for programs: base64 of little-endian float32'),
      filter: Filter.describe('Conditions on fields of the metadata, such as {"ref.book": "Luke"}'),
      limit: z.int().min(1).max(50).default(10),
      offset: Offset,
    }),
  },
  texts: {
    title: 'Read texts',
    description:
      'Reads texts of a project by their text_ids, whole where they are not very long, and what stands around them.',
    inputSchema: z.strictObject({
      project: Project,
      text_ids: z
        .array(z.string().min(1))
        .min(1)
        .max(maxAsked / 2),
      around: z.int().min(0).max(5).default(0).describe('How many texts before and after each'),
    }),
  },
  facets: {
    title: 'Fields of the metadata',
    description:
      'The fields of the metadata of a project, as filters name them, each with its most frequent values; or the exact counts of one field, perhaps under a filter.',
    inputSchema: z.strictObject({
      project: Project,
      field: z.string().optional().describe('Such as ref.book'),
      filter: Filter.describe('Only with field'),
    }),
  },
  scale: {
    title: 'What a similarity means',
    description:
      'How similar random pairs of texts of a project are, and each text to its nearest, in percentiles: a similarity below p99 of random pairs may be chance. Similarities of two models cannot be compared.',
    inputSchema: z.strictObject({ project: Project }),
  },
}

export type Given<Tool extends keyof typeof tools> = z.output<(typeof tools)[Tool]['inputSchema']>

/** What the tools need of answers of the API; the rest is passed on. */
export const TextParts = z.object({
  text: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export const FoundTexts = z.object({
  total_similar: z.int().optional(),
  results: z.array(TextParts.extend({ id: z.string(), project: z.string().optional() }).loose()),
})
const Texts = z.array(TextParts.extend({ id: z.string() }))
export const TextsAround = z.object({ before: Texts, after: Texts })
export const ScaleOfProject = z.object({
  scale: z.object({}).loose().optional(),
  no_scale: z.string().optional(),
})
export const ListedProjects = z.object({
  total_count: z.int(),
  projects: z.array(z.object({ owner: z.string(), project_handle: z.string() }).loose()),
})
