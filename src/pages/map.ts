import type { PageDefinition } from './page-definition.ts'
import { projectPath } from './project.ts'

/** The page that shows a project's texts as points in a plane; similar texts lie close together. */
export const mapPage: PageDefinition = {
  path: `${projectPath}/map`,
  island: 'map',
  content: ({ owner = '', project = '' }) => ({
    title: `Map of ${owner}/${project}`,
    data: { owner, project },
    first: [],
    firstOfPlain: [],
  }),
}
