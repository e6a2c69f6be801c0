import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { LoadNote } from '../elements.tsx'
import type { Loaded } from '../loading.ts'
import { printBytes } from '../print-bytes.ts'
import { columnsOfProjects } from '../project-columns.tsx'
import { type Column, Table } from '../table.tsx'

type Project = Schemas['VisibleProject']

const pageSize = 200
const mostRead = 5_000
const mostShown = 200

/** The API lists projects by their creation: whoever wants the largest has to read all. */
export async function loadEveryProject(signal: AbortSignal): Promise<readonly Project[]> {
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

export function LargestProjects({ all }: { readonly all: Loaded<readonly Project[]> }) {
  const projects = all.value?.toSorted((a, b) => vectorBytes(b) - vectorBytes(a)) ?? []
  const count = projects.length
  return (
    <section>
      <h2>
        Projects <span class="count">{all.value && count.toLocaleString('en-US')}</span>
      </h2>
      <LoadNote of={all} />
      {count > mostShown && (
        <p class="soft">
          The {mostShown} largest{count >= mostRead && ` of the first ${mostRead}`}.
        </p>
      )}
      {count > 0 && (
        <Table
          label="Projects"
          rows={projects.slice(0, mostShown)}
          columns={columns}
          keyOf={({ owner, project_handle: handle }) => `${owner}/${handle}`}
        />
      )}
    </section>
  )
}
