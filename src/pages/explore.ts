import type { PageDefinition } from './page-definition.ts'

/** The page that lists the readable projects. */
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
