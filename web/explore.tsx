import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Badge, Button, ButtonLink, Empty, Loading, RefusalNote } from './elements.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar } from './key-bar.tsx'
import { type Loaded, useAnswer } from './loading.ts'
import { type Column, Table } from './table.tsx'

type Page = Schemas['VisibleProjects'] | Schemas['Me']
type Project = Schemas['VisibleProject']

const pageSize = 50

export function ExplorePage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const [own, showMoreOwn] = usePages(`me ${keyNumber}`, hasKey ? 'v1/me?' : undefined)
  // Without the key, which may have ended, or be for other projects.
  const [open, showMoreOpen] = usePages('public', 'v1/projects?visibility=public&', { key: '' })
  const me = own.value !== undefined && 'is_admin' in own.value ? own.value : undefined
  return (
    <>
      <KeyBar me={hasKey ? me : undefined} changed={changed} />
      <div class="head">
        <h1>Projects</h1>
        {me?.is_admin !== true && (
          <ButtonLink kind="primary" icon="plus" href="explore/new">
            New project
          </ButtonLink>
        )}
      </div>
      {hasKey && (
        <Section title="Your projects" loaded={own} more={showMoreOwn}>
          {me?.is_admin === true ? (
            <Empty title="The administrator owns no projects" icon="key">
              <p>To make one, use the key of a user.</p>
            </Empty>
          ) : (
            <Empty title="No projects yet">
              <p>
                Make your first one from a file of texts. It stays private until you publish it.
              </p>
            </Empty>
          )}
        </Section>
      )}
      <Section title="Public projects" loaded={open} more={showMoreOpen}>
        <Empty title="No public projects yet" icon="globe">
          <p>
            {hasKey
              ? 'To publish one of yours, open it and choose Manage.'
              : 'Use a key to see your own projects and those shared with you.'}
          </p>
        </Empty>
      </Section>
    </>
  )
}

function usePages(
  of: string,
  path: string | undefined,
  options?: { readonly key: string },
): [Loaded<Page>, () => void] {
  const [limit, setLimit] = useState(pageSize)
  const loaded = useAnswer<Page>(path && `${path}limit=${limit}`, `${of} ${limit}`, options)
  return [loaded, () => setLimit((before) => Math.min(200, before + pageSize))]
}

interface SectionProps {
  readonly title: string
  readonly loaded: Loaded<Page>
  readonly more: () => void
  /** Shown if there are none. */
  readonly children?: unknown
}

function Section({ title, loaded: { value, refusal, isLoading }, more, children }: SectionProps) {
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
          columns={columns}
          keyOf={({ owner, project_handle: handle }) => `${owner}/${handle}`}
        />
      )}
      {projects.length === value?.limit && projects.length < 200 && (
        <Button act={more} isBusy={isLoading}>
          Show more
        </Button>
      )}
    </section>
  )
}

const columns: readonly Column<Project>[] = [
  {
    title: 'Project',
    by: ({ owner, project_handle: handle }) => `${owner}/${handle}`,
    show: ({ owner, project_handle: handle, description }) => (
      <div>
        <a href={`${frame.base}explore/${owner}/${handle}`}>
          {owner}/<strong>{handle}</strong>
        </a>
        {description !== undefined && <p class="clamped soft">{description}</p>}
      </div>
    ),
  },
  {
    title: 'Texts',
    isNumber: true,
    by: (project) => project.embedding_count,
    show: (project) => project.embedding_count.toLocaleString('en-US'),
  },
  {
    title: 'Dimensions',
    isNumber: true,
    by: ({ dimensions = 0 }) => dimensions,
    show: ({ dimensions }) => dimensions?.toLocaleString('en-US'),
  },
  { title: 'Model', by: ({ model = '' }) => model, show: ({ model }) => model },
  {
    title: 'Visibility',
    by: ({ public_read: isPublic, role = '' }) => `${isPublic} ${role}`,
    show: ({ public_read: isPublic, role }) => (
      <Badge icon={isPublic ? 'globe' : 'lock'}>
        {isPublic ? 'Public' : 'Private'}
        {(role === 'editor' || role === 'reader') && ` · you are ${role}`}
      </Badge>
    ),
  },
  {
    title: 'Created',
    by: (project) => project.created_at,
    show: (project) => <time dateTime={project.created_at}>{project.created_at.slice(0, 10)}</time>,
  },
]
