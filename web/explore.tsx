import type { Schemas } from '../clients/typescript/src/client.ts'
import { ButtonLink, CountedTitle, Empty, Loading, type Parent, RefusalNote } from './elements.tsx'
import { useCaller } from './key-bar.tsx'
import { type Loaded, useAnswer } from './loading.ts'
import { columnsOfProjects, projectName } from './project-columns.tsx'
import { SearchAll } from './search-all.tsx'
import { Table } from './table.tsx'

export function ExplorePage() {
  const { hasKey, me, loaded: own, bar } = useCaller()
  // Without the key, which may have ended, or be for other projects.
  const path = 'v1/projects?visibility=public&limit=200'
  const open = useAnswer<Schemas['VisibleProjects']>(path, path, { key: '' })
  const { projects = [] } = me ?? {}
  const names = new Set(projects.map(projectName))
  const others = open.value?.projects.filter((each) => !names.has(projectName(each)))
  // For a key that is limited to some projects, public ones are not there.
  const readable = [...projects, ...(me?.key?.is_limited ? [] : (others ?? []))]
  const searched = readable.filter((each) => each.embedding_count > 0).map(projectName)
  const isLoading = own.isLoading || open.isLoading
  return (
    <>
      {bar}
      <div class="head">
        <h1>Projects</h1>
        {me?.is_admin === true ? (
          <ButtonLink kind="primary" icon="manage" href="explore/admin">
            Users and projects
          </ButtonLink>
        ) : (
          <ButtonLink kind="primary" icon="plus" href="explore/new">
            New project
          </ButtonLink>
        )}
      </div>
      {(isLoading || searched.length > 0) && <SearchAll projects={isLoading ? [] : searched} />}
      {hasKey && me?.is_admin !== true && (
        <Section title="Your projects" rows={me?.projects} loaded={own}>
          <Empty title="No projects yet">
            <p>Make your first one from a file of texts. It stays private until you publish it.</p>
          </Empty>
        </Section>
      )}
      <Section title="Public projects" rows={others} loaded={open}>
        {hasKey ? (
          <p class="soft">There are no {names.size > 0 && 'other '}public projects.</p>
        ) : (
          <Empty title="No public projects yet" icon="globe">
            <p>Use a key to see your own projects and those shared with you.</p>
          </Empty>
        )}
      </Section>
    </>
  )
}

/** What stands between the tags is shown if there are none. */
interface SectionProps extends Parent {
  readonly title: string
  readonly rows: Schemas['VisibleProjects']['projects'] | undefined
  /** What they are from, which may have more. */
  readonly loaded: Loaded<Schemas['VisibleProjects'] | Schemas['Me']>
}

function Section({ title, rows = [], loaded, children }: SectionProps) {
  const { value, refusal, isLoading } = loaded
  const { projects = [], total_count: total } = value ?? {}
  const count = total && total - projects.length + rows.length
  return (
    <section>
      <CountedTitle title={title} count={count} />
      <RefusalNote refusal={refusal} />
      {refusal === undefined && rows.length === 0 && (isLoading ? <Loading /> : children)}
      {rows.length > 0 && (
        <Table label={title} rows={rows} columns={columnsOfProjects} keyOf={projectName} />
      )}
    </section>
  )
}
