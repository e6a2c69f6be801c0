import type { PageDefinition } from './page-definition.ts'

/** The page of a user's named keys. */
export const keysPage: PageDefinition = {
  path: '/explore/keys',
  island: 'keys',
  // Nothing is requested early: the paths depend on the owner of the key, which only the browser
  // knows.
  content: () => ({ title: 'Keys', data: undefined, first: [], firstOfPlain: [] }),
}
