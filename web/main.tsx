import { CodePage } from './code.tsx'
import { DuplicatesPage } from './duplicates.tsx'
import { ExplorePage } from './explore.tsx'
import { ProjectPage } from './project.tsx'
import { showPage } from './show.tsx'
import { TextPage } from './text.tsx'

showPage({
  code: CodePage,
  explore: ExplorePage,
  project: ProjectPage,
  text: TextPage,
  duplicates: DuplicatesPage,
})
