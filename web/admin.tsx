import { LargestProjects, loadEveryProject } from './admin/largest-projects.tsx'
import { ServerState } from './admin/server-state.tsx'
import { Users } from './admin/users.tsx'
import { Empty } from './elements.tsx'
import { KeyedPage } from './keyed-page.tsx'
import { useLoaded } from './loading.ts'

export const AdminPage = () => (
  <KeyedPage
    title="Administration"
    why="Enter the administrator's key: SERVICE_ADMINKEY in the configuration of this server."
    show={(me, caller) =>
      me.is_admin ? (
        <Administration key={caller} hosts={me.embedding_hosts} />
      ) : (
        <Empty title="This is for the administrator" icon="lock">
          <p>Forget this key, and use that of the administrator.</p>
        </Empty>
      )
    }
  />
)

function Administration({ hosts }: { readonly hosts: readonly string[] }) {
  const all = useLoaded('projects', loadEveryProject)
  return (
    <>
      <ServerState hosts={hosts} />
      <Users projects={all.value} changed={all.reload} />
      <LargestProjects all={all} />
    </>
  )
}
