import type { PageDefinition } from './page-definition.ts'
import { projectPath } from './project.ts'

/** The metadataScheme of a project, tried on what is stored before it is set. */
export const schemePage: PageDefinition = {
  path: `${projectPath}/metadata-scheme`,
  island: 'metadata-scheme',
  content: ({ owner = '', project = '' }) => ({
    title: `Metadata schema of ${owner}/${project}`,
    data: { owner, project },
    first: [`v1/projects/${owner}/${project}`],
    firstOfPlain: [],
  }),
}
