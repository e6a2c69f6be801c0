import { render } from 'hono/jsx/dom'
import { DuplicatesPage } from './duplicates.tsx'
import { ExplorePage } from './explore.tsx'
import { frame, island } from './frame.ts'
import { KeysPage } from './keys.tsx'
import { ManagePage } from './manage.tsx'
import { MapPage } from './map.tsx'
import { NewProjectPage } from './new-project.tsx'
import { ProjectPage } from './project.tsx'
import { TextPage } from './text.tsx'
import { UploadPage } from './upload.tsx'

/** The pages by the names that src/pages/routes.ts gives them. */
const pages: Readonly<Record<string, typeof ExplorePage>> = {
  explore: ExplorePage,
  keys: KeysPage,
  new: NewProjectPage,
  project: ProjectPage,
  manage: ManagePage,
  map: MapPage,
  text: TextPage,
  upload: UploadPage,
  duplicates: DuplicatesPage,
}

const Page = pages[frame.page]
if (Page !== undefined && island !== null) render(<Page />, island)
