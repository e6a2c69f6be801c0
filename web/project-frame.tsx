import type { FC } from 'hono/jsx'
import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import type { SemblanceError } from '../clients/typescript/src/error.ts'
import { accessOf, noAccess, type ProjectAccess, type Right } from './access.ts'
import { Badge, Button, Empty, Loading, Notice, printNumber, RefusalNote } from './elements.tsx'
import { frame, storedKey } from './frame.ts'
import { Icon, type IconName } from './icons.tsx'
import { KeyForm, useCaller } from './key-bar.tsx'
import { useAnswer, useUrl } from './loading.ts'
import { EmptyProject } from './project/snippets.tsx'
import { emptyView, filterIn, printView, readView } from './project/view.ts'

type Project = Schemas['Project']

interface Caller extends ProjectAccess {
  /** Loads the project anew, after a change that its heading shows. */
  readonly reload: () => void
}

/** What the page of a project gets from its frame. */
export interface Framed extends Caller {
  readonly project: Project
}

interface Use {
  /** What the page serves for, if not for reading. */
  readonly needs?: Right
  /** Whether it shows nothing but texts, so that an empty project has nothing for it. */
  readonly isForTexts?: boolean
}

interface Props extends Use {
  /** @param project undefined while it is loading */
  readonly show: (project: Project | undefined, framed: Caller) => unknown
}

/** A page within the frame of its project, once that is loaded. */
export const framed =
  (Page: FC<Framed>, use: Use = {}) =>
  () => (
    <ProjectFrame {...use} show={(project, by) => project && <Page project={project} {...by} />} />
  )

/** The frame of all pages of a project: its name, numbers and tabs. */
export function ProjectFrame({ needs, isForTexts = false, show }: Props) {
  const { hasKey, me, loaded, bar } = useCaller()
  const [times, renew] = useState(0)
  const reload = () => {
    loaded.reload()
    renew((before) => before + 1)
  }
  const isLocked = needs !== undefined && !hasKey
  const of = `${times}`
  const path = `v1/projects/${frame.name}`
  const { value: project, refusal } = useAnswer<Project>(isLocked ? undefined : path, of)
  const isRefused = isLocked || refusal !== undefined
  const access = me === undefined ? noAccess : accessOf(me)
  const isAllowed = needs === undefined || access[needs]
  const isEmpty = isForTexts && project?.embedding_count === 0
  return (
    <>
      {bar}
      <header class="project">
        <Heading project={isRefused ? undefined : project} {...{ access, of }} />
        {!isRefused && <Tabs access={access} />}
      </header>
      {isRefused ? (
        <Refused {...{ refusal, reload, me }} />
      ) : (
        <>
          <LostFilter />
          {project === undefined && <Loading />}
          {isEmpty && <EmptyProject project={project} mayWrite={access.mayWrite} />}
          {!isEmpty && isAllowed && show(project, { ...access, reload })}
          {!isAllowed && me && project && <NotAllowed me={me} needs={needs} />}
        </>
      )}
    </>
  )
}

interface HeadingProps {
  /** Undefined while it is loading, and if the caller may not read it. */
  readonly project: Project | undefined
  readonly access: ProjectAccess
  readonly of: string
}

function Heading({ project, access, of }: HeadingProps) {
  const path = access.mayManage ? `v1/projects/${frame.name}/shared-with` : undefined
  const { value } = useAnswer<{ shared_with: readonly unknown[] }>(path, `${path} ${of}`)
  const users = value?.shared_with.length ?? 0
  const number = (count: number | undefined, words: string) =>
    count !== undefined && (
      <span>
        <strong>{printNumber(count)}</strong> {words}
      </span>
    )
  return (
    <div class="head">
      <h1>
        <a href={`${frame.base}explore/${frame.name}`}>
          <span class="owner">{frame.owner}/</span>
          {frame.project}
        </a>
      </h1>
      {project !== undefined && (
        <p class="numbers">
          <Badge icon={project.public_read ? 'globe' : 'lock'}>
            {project.public_read ? 'Public' : 'Private'}
            {users > 0 && ` · shared with ${users}`}
            {access.isShared && ' · shared with you'}
          </Badge>
          {number(project.embedding_count, project.embedding_count === 1 ? 'text' : 'texts')}
          {number(project.dimensions, 'dimensions')}
          {project.model !== undefined && <span>{project.model}</span>}
        </p>
      )}
    </div>
  )
}

/** Each with its page in src/pages/routes.ts. */
const tabs: readonly (readonly [page: string, title: string, icon: IconName, needs?: Right])[] = [
  ['project', 'Search', 'search'],
  ['map', 'Map', 'map'],
  ['duplicates', 'Near-duplicates', 'duplicates'],
  ['upload', 'Upload', 'upload', 'mayWrite'],
  ['manage', 'Manage', 'manage', 'mayManage'],
  ['code', 'Use from code', 'code'],
]

/** The pages that filter. Except for near-duplicates, they also search. */
const filtering = ['project', 'map', 'duplicates']

/** What was searched for, and the filter, go along from one page to the next. */
function carriedTo(page: string, url: URL): string {
  const goesAlong =
    page !== frame.page && [page, frame.page].every((each) => filtering.includes(each))
  if (!goesAlong) return ''
  const { sought, filter, prefix } = readView(url)
  const searches = page !== 'duplicates'
  const query = printView({ ...emptyView, filter, prefix, sought: searches ? sought : undefined })
  return query === '?' ? '' : query
}

/** What the caller may not do is not among them. */
function Tabs({ access }: { readonly access: ProjectAccess }) {
  const url = useUrl()
  const pathOf = (page: string) => `${frame.name}${page === 'project' ? '' : `/${page}`}`
  const shown = tabs.filter(([, , , needs]) => needs === undefined || access[needs])
  // On a phone they scroll sideways.
  useLayoutEffect(() => {
    const current = document.querySelector('.tabs [aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown.length])
  return (
    <nav class="tabs" aria-label="Project">
      {shown.map(([page, title, icon]) => (
        <a
          key={page}
          href={`${frame.base}explore/${pathOf(page)}${carriedTo(page, url)}`}
          aria-current={page === frame.page ? 'page' : undefined}
        >
          <Icon name={icon} />
          {title}
        </a>
      ))}
    </nav>
  )
}

/** Says of a filter in the address that cannot be read that nothing is filtered by it. */
function LostFilter() {
  const filter = useUrl().searchParams.get('filter') ?? ''
  if (filterIn(filter) !== undefined) return null
  return (
    <Notice kind="warning">The filter in the address is no JSON object, so it is ignored.</Notice>
  )
}

interface RefusedProps {
  readonly me: Schemas['Me'] | undefined
  /** Undefined without a key on a page that needs one. */
  readonly refusal: SemblanceError | undefined
  readonly reload: () => void
}

/** Shows the same for a project that does not exist and for one that the caller may not read. */
function Refused({ refusal, reload, me }: RefusedProps) {
  if (refusal === undefined || refusal.status === 401) {
    const isOld = storedKey() !== undefined
    const whose =
      refusal === undefined
        ? 'Enter the API key of somebody who may change this project.'
        : 'This project is not public, or does not exist. Enter the API key of somebody who may read it.'
    return (
      <Empty title={isOld ? 'Your key no longer works' : 'A key is needed'} icon="key">
        <p>{isOld ? 'It was revoked or has ended. Use another one.' : whose}</p>
        <KeyForm />
      </Empty>
    )
  }
  const isMissing = refusal.status === 403 || refusal.status === 404
  return (
    <Empty title={isMissing ? 'You cannot see this project' : 'That did not work'} icon="lock">
      {isMissing ? (
        <p>
          It does not exist, or is not shared with you.{' '}
          {me?.user_handle === frame.owner
            ? 'Check the address, or look at '
            : `Ask ${frame.owner} to share it with you, or look at `}
          <a href={`${frame.base}explore`}>the projects you can see</a>.
        </p>
      ) : (
        <>
          <RefusalNote refusal={refusal} />
          <Button act={reload}>Try again</Button>
        </>
      )}
    </Empty>
  )
}

function NotAllowed({ me, needs }: { readonly me: Schemas['Me']; readonly needs: Right }) {
  const isManaging = needs === 'mayManage'
  const way = isManaging
    ? `Only ${frame.owner} can manage it.`
    : `Ask ${frame.owner} to make you an editor.`
  const isOwner = me.user_handle === frame.owner
  return (
    <Empty
      title={`Your key ${isManaging ? 'cannot manage this project' : 'can only read here'}`}
      icon="lock"
    >
      <p>{isOwner ? 'Use your first key, or one with the right to write.' : way}</p>
    </Empty>
  )
}
