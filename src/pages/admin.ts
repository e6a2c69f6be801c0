import type { PageDefinition } from './page-definition.ts'

/** What the administrator looks at first. */
export const adminPage: PageDefinition = {
  path: '/explore/admin',
  island: 'admin',
  // Nobody else has reason to ask.
  content: () => ({ title: 'Administration', data: undefined, first: [], firstOfPlain: [] }),
}
