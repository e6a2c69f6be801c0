import type { FC } from 'hono/jsx'
import { frame } from './frame.ts'
import { UserKeys } from './keys/user-keys.tsx'
import { HandOverPanel, RemovalPanel } from './manage/danger.tsx'
import { ExportPanel } from './manage/export.tsx'
import { DescriptionPanel, MeaningPanel, SchemePanel } from './manage/fields.tsx'
import type { Managed } from './manage/managed.ts'
import { ModelPanel } from './manage/model.tsx'
import { PublishingPanel, SharingPanel } from './manage/sharing.tsx'
import { ProjectFrame } from './project-frame.tsx'

interface Panel {
  readonly id: string
  readonly title: string
  readonly Show: FC<Managed>
}

const panels: readonly Panel[] = [
  { id: 'description', title: 'Description', Show: DescriptionPanel },
  { id: 'publishing', title: 'Who can read it', Show: PublishingPanel },
  { id: 'sharing', title: 'Shared with', Show: SharingPanel },
  {
    id: 'keys',
    title: 'Keys for this project',
    Show: () => <UserKeys user={frame.owner} only={frame.name} />,
  },
  { id: 'model', title: 'Model and provider', Show: ModelPanel },
  { id: 'meaning', title: 'Search by meaning', Show: MeaningPanel },
  { id: 'scheme', title: 'Metadata scheme', Show: SchemePanel },
  { id: 'export', title: 'Export', Show: ExportPanel },
  { id: 'hand-over', title: 'Hand it over', Show: HandOverPanel },
  { id: 'deletion', title: 'Empty or delete it', Show: RemovalPanel },
]

export const ManagePage = () => (
  <ProjectFrame
    needs="mayManage"
    show={(project, caller, { reload }) =>
      project !== undefined && (
        <div key={caller} class="settings">
          <nav aria-label="On this page">
            <ul>
              {panels.map(({ id, title }) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </nav>
          <div>
            {panels.map(({ id, title, Show }) => (
              <section key={id} class="panel" aria-labelledby={id}>
                <h2 id={id}>{title}</h2>
                <Show project={project} changed={reload} />
              </section>
            ))}
          </div>
        </div>
      )
    }
  />
)
