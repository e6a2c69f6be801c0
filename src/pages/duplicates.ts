import type { PageDefinition } from './page-definition.ts'
import { projectPath } from './project.ts'

/** The page that lists pairs and groups of nearly identical texts of a project. */
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
