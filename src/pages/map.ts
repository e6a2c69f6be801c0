import type { PageDefinition } from './page-definition.ts'

/** The texts of a project in the plane, near one another where they are similar. */
export const mapPage: PageDefinition = {
  path: '/explore/:owner{[A-Za-z0-9_-]{1,100}}/:project{[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}}/map',
  island: 'map',
  content: ({ owner = '', project = '' }) => ({
    title: `Map of ${owner}/${project}`,
    data: { owner, project },
    first: [],
    firstOfPlain: [],
  }),
}
