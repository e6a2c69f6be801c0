import type { Schemas } from '../clients/typescript/src/client.ts'
import { Badge } from './elements.tsx'
import { frame } from './frame.ts'
import type { Column } from './table.tsx'

type Project = Schemas['VisibleProject']

export const projectName = (of: Pick<Project, 'owner' | 'project_handle'>): string =>
  `${of.owner}/${of.project_handle}`

/** Those of a table of projects. */
export const columnsOfProjects: readonly Column<Project>[] = [
  {
    title: 'Project',
    by: projectName,
    show: ({ owner, project_handle: handle, description }) => (
      <div>
        <a href={`${frame.base}explore/${owner}/${handle}`}>
          {owner}/<strong>{handle}</strong>
        </a>
        {description !== undefined && <p class="clamped soft">{description}</p>}
      </div>
    ),
  },
  { title: 'Texts', isNumber: true, by: ({ embedding_count: count }) => count },
  { title: 'Dimensions', isNumber: true, by: ({ dimensions = '' }) => dimensions },
  { title: 'Model', by: ({ model = '' }) => model },
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
