import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { ButtonLink, Empty, Loading, RefusalNote } from './elements.tsx'
import { storedKey } from './frame.ts'
import { KeyBar } from './key-bar.tsx'
import { type Loaded, useAnswer } from './loading.ts'
import { columnsOfProjects } from './project-columns.tsx'
import { Table } from './table.tsx'

export function ExplorePage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const own = useAnswer<Schemas['Me']>(hasKey ? 'v1/me?limit=200' : undefined, `me ${keyNumber}`)
  // Without the key, which may have ended, or be for other projects.
  const path = 'v1/projects?visibility=public&limit=200'
  const open = useAnswer<Schemas['VisibleProjects']>(path, path, { key: '' })
  const me = own.value
  return (
    <>
      <KeyBar me={hasKey ? me : undefined} changed={changed} />
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

interface SectionProps {
  readonly title: string
  readonly loaded: Loaded<Schemas['VisibleProjects'] | Schemas['Me']>
  /** Shown if there are none. */
  readonly children?: unknown
}

function Section({ title, loaded: { value, refusal, isLoading }, children }: SectionProps) {
  const projects = value?.projects ?? []
  const total = value?.total_count
  return (
    <section>
      <h2>
        {title} {total !== undefined && <span class="count">{total.toLocaleString('en-US')}</span>}
      </h2>
      <RefusalNote refusal={refusal} />
      {refusal === undefined && projects.length === 0 && (isLoading ? <Loading /> : children)}
      {projects.length > 0 && (
        <Table
          label={title}
          rows={projects}
          columns={columnsOfProjects}
          keyOf={({ owner, project_handle: handle }) => `${owner}/${handle}`}
        />
      )}
    </section>
  )
}
