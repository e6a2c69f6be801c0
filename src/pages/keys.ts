import type { PageDefinition } from './page-definition.ts'

/** The named keys of a user. */
export const keysPage: PageDefinition = {
  path: '/explore/keys',
  island: 'keys',
  // What is asked for depends on whose key it is, which the frame does not know.
  content: () => ({ title: 'Keys', data: undefined, first: [], firstOfPlain: [] }),
}
