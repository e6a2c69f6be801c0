import type { PageDefinition } from './page-definition.ts'
import { projectPath } from './project.ts'

/** The texts of a project in the plane, near one another where they are similar. */
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
