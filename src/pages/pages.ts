import { duplicatesPage } from './duplicates.ts'
import { explorePage } from './explore.ts'
import { keysPage } from './keys.ts'
import { mapPage } from './map.ts'
import type { PageDefinition } from './page-definition.ts'
import { projectPage } from './project.ts'

/** All pages. A new page needs a file next to this one, an island, and an entry here. */
export const pages: readonly PageDefinition[] = [
  explorePage,
  keysPage,
  projectPage,
  mapPage,
  duplicatesPage,
]
