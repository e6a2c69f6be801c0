// The pages that make and fill projects, in a script of their own, so that those who read load less.
import { AdminPage } from './admin.tsx'
import { KeysPage } from './keys.tsx'
import { ManagePage } from './manage.tsx'
import { NewProjectPage } from './new-project.tsx'
import { showPage } from './show.tsx'
import { UploadPage } from './upload.tsx'

showPage({
  admin: AdminPage,
  keys: KeysPage,
  new: NewProjectPage,
  upload: UploadPage,
  manage: ManagePage,
})
