import type { Schemas } from '../clients/typescript/src/client.ts'
import { Badge } from './elements.tsx'
import { frame } from './frame.ts'
import type { Column } from './table.tsx'

type Project = Schemas['VisibleProject']

/** Those of a table of projects. */
export const columnsOfProjects: readonly Column<Project>[] = [
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
    title: 'Last upload',
    by: ({ last_upload: at = '' }) => at,
    show: ({ last_upload: at }) => at && <time dateTime={at}>{at.slice(0, 10)}</time>,
  },
]
