// The pages that manage projects, keys and the server.
import { AdminPage } from './admin.tsx'
import { KeysPage } from './keys.tsx'
import { ManagePage } from './manage.tsx'
import { showPage } from './show.tsx'

showPage({ admin: AdminPage, keys: KeysPage, manage: ManagePage })
