import { DuplicatesPage } from './duplicates.tsx'
import { ExplorePage } from './explore.tsx'
import { KeysPage } from './keys.tsx'
import { MapPage } from './map.tsx'
import { ProjectPage } from './project.tsx'
import { showPage } from './show.tsx'
import { TextPage } from './text.tsx'

showPage({
  explore: ExplorePage,
  keys: KeysPage,
  project: ProjectPage,
  map: MapPage,
  text: TextPage,
  duplicates: DuplicatesPage,
})
