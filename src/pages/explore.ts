import type { PageDefinition } from './page-definition.ts'

/** The projects that one may read. */
export const explorePage: PageDefinition = {
  path: '/explore',
  island: 'explore',
  content: () => ({
    title: 'Explore',
    data: undefined,
    first: ['v1/projects?visibility=public&limit=50'],
    firstOfPlain: [],
  }),
}
