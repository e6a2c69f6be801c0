import type { PageDefinition } from './page-definition.ts'
import { projectPath } from './project.ts'

/** Pairs and groups of texts of a project that are nearly the same. */
export const duplicatesPage: PageDefinition = {
  path: `${projectPath}/duplicates`,
  island: 'duplicates',
  content: ({ owner = '', project = '' }) => ({
    title: `Near-duplicates in ${owner}/${project}`,
    data: { owner, project },
    first: [`v1/projects/${owner}/${project}`],
    firstOfPlain: [],
  }),
}
