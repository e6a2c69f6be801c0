import type { components } from '../../../client/api.ts'
import { frame } from '../frame.ts'
import { Moment } from '../moment.tsx'
import { percent, printBytes, whole } from './figures.ts'
import { number, Table } from './table.tsx'
import { Refusals, SlowRequests } from './troubles.tsx'

export type ServiceFigures = components['schemas']['ServiceOverview']

interface Props {
  readonly figures: ServiceFigures
  readonly isLoading: boolean
  readonly again: () => void
}

export const Overview = ({ figures, isLoading, again }: Props) => (
  <>
    <Totals figures={figures} isLoading={isLoading} again={again} />
    <LargeUsers figures={figures} />
    <LargeProjects figures={figures} />
    <Indexes figures={figures} />
    <Memory figures={figures} />
    <SlowRequests figures={figures} />
    <Refusals figures={figures} />
  </>
)

function Totals({ figures: { totals, since }, isLoading, again }: Props) {
  const facts = [
    ['Users', whole(totals.user_count)],
    ['Projects', whole(totals.project_count)],
    ['Embeddings', whole(totals.embedding_count)],
    ['Database', printBytes(totals.database_bytes)],
  ] as const
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Server started</dt>
          <dd>
            <Moment at={since} />
          </dd>
        </div>
      </dl>
      <button type="button" disabled={isLoading} onClick={again}>
        Look again
      </button>
    </>
  )
}

type PartProps = Pick<Props, 'figures'>

const ProjectLink = ({ owner, project }: { readonly owner: string; readonly project: string }) => (
  <a href={`${frame.base}explore/${owner}/${project}`}>
    {owner}/{project}
  </a>
)

const LargeUsers = ({ figures: { users, totals } }: PartProps) => (
  <Table
    title="Users"
    count={totals.user_count}
    none="There are none yet."
    columns={[
      { name: 'User' },
      ...['Projects', 'Embeddings', 'Vectors (estimated)'].map(number),
      { name: 'Keys' },
    ]}
    rows={users.map((each) => [
      each.user_handle,
      whole(each.project_count),
      whole(each.embedding_count),
      printBytes(each.estimated_bytes),
      <a
        href={`${frame.base}explore/keys?user=${each.user_handle}`}
        aria-label={`Keys of ${each.user_handle}`}
      >
        Keys
      </a>,
    ])}
  >
    <p class="soft note">{shown(users.length, totals.user_count)}</p>
  </Table>
)

const LargeProjects = ({ figures: { projects, totals } }: PartProps) => (
  <Table
    title="Projects"
    count={totals.project_count}
    none="There are none yet."
    columns={[
      { name: 'Project' },
      ...['Embeddings', 'Dimensions', 'Vectors (estimated)'].map(number),
    ]}
    rows={projects.map((each) => [
      <ProjectLink owner={each.owner} project={each.project_handle} />,
      whole(each.embedding_count),
      each.dimensions === 0 ? '–' : whole(each.dimensions),
      printBytes(each.estimated_bytes),
    ])}
  >
    <p class="soft note">{shown(projects.length, totals.project_count)}</p>
  </Table>
)

const shown = (listed: number, all: number) =>
  listed < all
    ? `The ${listed} largest, by vectors × dimensions. Texts and metadata come on top.`
    : 'The largest first, by vectors × dimensions. Texts and metadata come on top.'

const Indexes = ({ figures: { indexes } }: PartProps) => (
  <Table
    title="Search indexes"
    count={indexes.count}
    none="There are none: all projects are searched exactly, or in memory."
    columns={[
      { name: 'Project' },
      { name: 'Kind' },
      { name: 'State' },
      ...['Size', 'Recall', 'At least'].map(number),
    ]}
    rows={indexes.items.map(({ project, kind, state, bytes, recall }) => [
      <ProjectLink owner={project.owner} project={project.project_handle} />,
      kind,
      state === 'broken' || state === 'missing' ? <span class="wrong">{state}</span> : state,
      printBytes(bytes),
      recall === undefined ? 'not measured' : percent(recall.recall),
      recall === undefined ? '–' : percent(recall.at_least),
    ])}
  />
)

const Memory = ({ figures: { memory } }: PartProps) => (
  <Table
    title="Vectors in memory"
    count={memory.project_count}
    none="There are none; they are read when a large project is searched."
    columns={[{ name: 'Project' }, { name: 'State' }, number('Size')]}
    rows={memory.projects.map(({ project, bytes, is_ready }) => [
      <ProjectLink owner={project.owner} project={project.project_handle} />,
      is_ready ? 'ready' : 'being read',
      printBytes(bytes),
    ])}
  >
    <p class="soft note">
      {memory.is_on
        ? `${printBytes(memory.bytes)} of ${printBytes(memory.max_bytes)} are taken.`
        : 'None is kept: SERVICE_VECTORMEMORY is 0, or not supported here.'}
    </p>
    {memory.notes.map((note) => (
      <p key={note} class="refusal">
        {note}
      </p>
    ))}
  </Table>
)
