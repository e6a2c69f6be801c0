import type { Schemas } from '../clients/typescript/src/client.ts'
import { ServerState } from './admin/server-state.tsx'
import { Users } from './admin/users.tsx'
import { call } from './call.ts'
import { CountedTitle, Empty, LoadNote, printBytes } from './elements.tsx'
import { KeyedPage } from './keyed-page.tsx'
import { type Loaded, useLoaded } from './loading.ts'
import { columnsOfProjects, projectName } from './project-columns.tsx'
import { type Column, Table } from './table.tsx'

export const AdminPage = () => (
  <KeyedPage
    title="Administration"
    why="Enter the administrator's key: SERVICE_ADMINKEY in the configuration of this server."
    show={(me) =>
      me.is_admin ? (
        <Administration hosts={me.embedding_hosts} />
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

type Project = Schemas['VisibleProject']

const pageSize = 200
const mostRead = 5_000
const mostShown = 200

/** The API lists projects by their creation: whoever wants the largest has to read all. */
async function loadEveryProject(signal: AbortSignal): Promise<readonly Project[]> {
  const projects: Project[] = []
  for (let size = pageSize; size === pageSize && projects.length < mostRead; ) {
    const path = `v1/projects?limit=${pageSize}&offset=${projects.length}`
    const { data } = await call<Schemas['VisibleProjects']>(path, { signal })
    projects.push(...data.projects)
    size = data.projects.length
  }
  return projects
}

/** Each component of a vector has four bytes. */
const vectorBytes = ({ embedding_count: count, dimensions = 0 }: Project) => 4 * count * dimensions

const size: Column<Project> = {
  title: 'Vectors',
  isNumber: true,
  by: vectorBytes,
  show: (project) => printBytes(vectorBytes(project)),
}
const columns = columnsOfProjects.toSpliced(2, 0, size)

function LargestProjects({ all }: { readonly all: Loaded<readonly Project[]> }) {
  const rows = all.value?.toSorted((a, b) => vectorBytes(b) - vectorBytes(a)) ?? []
  const shown = rows.slice(0, mostShown)
  return (
    <section>
      <CountedTitle title="Projects" count={all.value?.length} />
      <LoadNote of={all} />
      {all.value?.length === 0 && <p class="soft">No user has made one yet.</p>}
      {rows.length > mostShown && (
        <p class="soft">
          The {mostShown} largest{rows.length >= mostRead && ` of the first ${mostRead}`}.
        </p>
      )}
      {rows.length > 0 && (
        <Table label="Projects" rows={shown} columns={columns} keyOf={projectName} />
      )}
    </section>
  )
}
