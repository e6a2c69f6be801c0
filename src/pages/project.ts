import type { PageDefinition } from './page-definition.ts'

/**
 * The texts of a project. The page is the same whether the project exists or not: what there is to know, the
 * browser asks the API for, which tells each caller what that one may know.
 */
export const projectPage: PageDefinition = {
  // As handles are.
  path: '/explore/:owner{[A-Za-z0-9_-]{1,100}}/:project{[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}}',
  island: 'project',
  content: ({ owner = '', project = '' }) => {
    const name = `${owner}/${project}`
    return {
      title: name,
      data: { owner, project },
      first: [`v1/projects/${name}`],
      // In this order: for the fields many texts are looked at.
      firstOfPlain: [
        `v1/embeddings/${name}?limit=20&include=text%2Cmetadata`,
        `v1/projects/${name}/fields`,
      ],
    }
  },
}
