import type { PageDefinition } from './page-definition.ts'

/** The patterns match what handles may contain. */
export const projectPath =
  '/explore/:owner{[A-Za-z0-9_-]{1,100}}/:project{[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}}'

/**
 * The page of a project's texts. The page is the same whether or not the project exists: the
 * browser asks the API, which decides what the caller may see.
 */
export const projectPage: PageDefinition = {
  path: projectPath,
  island: 'project',
  content: ({ owner = '', project = '' }) => {
    const name = `${owner}/${project}`
    return {
      title: name,
      data: { owner, project },
      first: [`v1/projects/${name}`],
      // The texts come first: listing the fields scans many texts and takes longer.
      firstOfPlain: [
        `v1/embeddings/${name}?limit=20&include=text%2Cmetadata`,
        `v1/projects/${name}/fields`,
      ],
    }
  },
}
