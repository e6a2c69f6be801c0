import { z } from '@hono/zod-openapi'
import { TextId } from '../../embeddings/schemas.ts'
import { closedObject, maxPage, text } from '../../http/schemas.ts'
import { maxPlaces } from '../memory-search.ts'
import { requireSought, SearchResult, searchFields, totalSimilar } from '../schemas.ts'

export const maxProjects = 20

/** The value of `group_by` that groups by project; of a metadata field with this name, `\project`. */
export const byProject = 'project'

const ProjectName = text(201).regex(/^[^/]+\/[^/]+$/, 'must be owner/handle')

// These are known within one project alone.
const { like: _, unlike: __, diversity: ___, min_percentile: ____, ...fields } = searchFields

export const SeveralSearch = closedObject({
  projects: z
    .array(ProjectName)
    .min(1)
    .max(maxProjects)
    .refine((names) => new Set(names).size === names.length, 'must name each project once')
    .openapi({
      description: `Up to ${maxProjects} projects, each as owner/handle. Unless words alone are searched for, all must have one model and the same dimensions.`,
      uniqueItems: true,
    }),
  ...fields,
  offset: z
    .int()
    .min(0)
    .max(maxPlaces - maxPage)
    .optional()
    .openapi({ description: 'Number of results to skip. Default: 0.' }),
  text_id: closedObject({ project: ProjectName, text_id: TextId }).optional().openapi({
    description: 'A stored embedding of one of the projects to search for, instead of a vector.',
  }),
})
  .superRefine((values, context) => {
    requireSought(values, context)
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    const { projects, text_id, group_by, group_size = 1, include } = values
    if (text_id !== undefined && !projects.includes(text_id.project)) {
      refuse('text_id.project must be one of projects')
    }
    if (include?.around || include?.percentile) {
      refuse('around and percentile are included in a search of one project alone')
    }
    // A group may be on the page by one project alone, and far down in the others.
    if (group_by !== undefined && group_by !== byProject && group_size > 1) {
      refuse('group_size must be 1 unless several projects are grouped by "project"')
    }
  })
  .openapi('SearchOfSeveral')

export const SeveralAnswer = z
  .object({ total_similar: totalSimilar, results: z.array(SearchResult) })
  .openapi('SearchOfSeveralAnswer')

export const exampleSearch = {
  projects: ['alice/verses', 'alice/psalms'],
  vector: [0.25, -0.5, 0.75],
  limit: 3,
}

export const exampleAnswer = {
  results: [
    { id: 'mark-1-11', project: 'alice/verses', similarity: 0.9003 },
    { id: 'psalm-2-7', project: 'alice/psalms', similarity: 0.8617 },
  ],
}
