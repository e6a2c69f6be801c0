// The pages that make and fill projects, in a script of their own, so that those who read load less.
import { NewProjectPage } from './new-project.tsx'
import { showPage } from './show.tsx'
import { UploadPage } from './upload.tsx'

showPage({ new: NewProjectPage, upload: UploadPage })
