import type { Schemas } from '../clients/typescript/src/client.ts'
import { ButtonLink, CountedTitle, Empty, Loading, type Parent, RefusalNote } from './elements.tsx'
import { useCaller } from './key-bar.tsx'
import { type Loaded, useAnswer } from './loading.ts'
import { columnsOfProjects, projectName } from './project-columns.tsx'
import { SearchAll } from './search-all.tsx'
import { Table } from './table.tsx'

export function ExplorePage() {
  const { caller, hasKey, me, loaded: own, bar } = useCaller()
  // Without the key, which may have ended, or be for other projects.
  const path = 'v1/projects?visibility=public&limit=200'
  const open = useAnswer<Schemas['VisibleProjects']>(path, path, { key: '' })
  // For a key that is limited to some projects, public ones are not there.
  const others = me?.key?.is_limited === true ? [] : (open.value?.projects ?? [])
  const readable = [...(me?.projects ?? []), ...others].filter((each) => each.embedding_count > 0)
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
      <SearchAll
        projects={isLoading ? [] : [...new Set(readable.map(projectName))]}
        caller={caller}
      />
      {hasKey && me?.is_admin !== true && (
        <Section title="Your projects" loaded={own}>
          <Empty title="No projects yet">
            <p>Make your first one from a file of texts. It stays private until you publish it.</p>
          </Empty>
        </Section>
      )}
      <Section title="Public projects" loaded={open}>
        <Empty title="No public projects yet" icon="globe">
          <p>
            {!hasKey && 'Use a key to see your own projects and those shared with you.'}
            {me?.user_handle && 'To publish one of yours, open it and choose Manage.'}
            {me?.is_admin && 'All projects of this server are among Users and projects.'}
          </p>
        </Empty>
      </Section>
    </>
  )
}

/** What stands between the tags is shown if there are none. */
interface SectionProps extends Parent {
  readonly title: string
  readonly loaded: Loaded<Schemas['VisibleProjects'] | Schemas['Me']>
}

function Section({ title, loaded: { value, refusal, isLoading }, children }: SectionProps) {
  const { projects: rows = [], total_count: total } = value ?? {}
  return (
    <section>
      <CountedTitle title={title} count={total} />
      <RefusalNote refusal={refusal} />
      {refusal === undefined && rows.length === 0 && (isLoading ? <Loading /> : children)}
      {rows.length > 0 && (
        <Table label={title} rows={rows} columns={columnsOfProjects} keyOf={projectName} />
      )}
    </section>
  )
}
