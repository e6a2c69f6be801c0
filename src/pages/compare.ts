import type { PageDefinition } from './page-definition.ts'

/** Two projects over the same text_ids: how far the neighbours of their texts agree. */
export const comparePage: PageDefinition = {
  path: '/explore/compare',
  island: 'compare',
  content: () => ({ title: 'Compare projects', data: undefined, first: [], firstOfPlain: [] }),
}
