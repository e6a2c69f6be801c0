import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Button, counted, RefusalNote } from './elements.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar } from './key-bar.tsx'
import { type Loaded, useAnswer } from './loading.ts'

type Page = Schemas['VisibleProjects'] | Schemas['Me']

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
      <div class="head">
        <h1>Explore</h1>
        <KeyBar me={me} changed={changed} />
      </div>
      {hasKey && (
        <Section title="Your projects" loaded={own} more={showMoreOwn}>
          You own no project yet, and none is shared with you.
        </Section>
      )}
      <p>
        <a href="explore/new">New project</a>
      </p>
      <Section title="Public projects" loaded={open} more={showMoreOpen}>
        There are none yet. A project becomes public with public_read: true.
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
      {refusal === undefined && projects.length === 0 && (
        <p class="soft">{isLoading ? 'Loading…' : children}</p>
      )}
      {projects.length > 0 && (
        <ul class="projects">
          {projects.map((project) => (
            <ProjectItem key={`${project.owner}/${project.project_handle}`} project={project} />
          ))}
        </ul>
      )}
      {projects.length === value?.limit && projects.length < 200 && (
        <Button act={more}>Show more</Button>
      )}
    </section>
  )
}

function ProjectItem({ project }: { readonly project: Schemas['VisibleProject'] }) {
  const { owner, project_handle: handle, description, model, dimensions, role } = project
  const facts = [
    counted(project.embedding_count),
    model,
    dimensions && `${dimensions} dimensions`,
    role,
    project.public_read ? 'public' : 'private',
  ]
  return (
    <li>
      <p>
        <a href={`${frame.base}explore/${owner}/${handle}`}>
          {owner}/<strong>{handle}</strong>
        </a>
      </p>
      {description !== undefined && <p class="clamped">{description}</p>}
      <p class="facts soft">{facts.filter((fact) => fact !== undefined).join(' · ')}</p>
    </li>
  )
}
