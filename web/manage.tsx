import type { FC } from 'hono/jsx'
import { frame } from './frame.ts'
import { UserKeys } from './keys/user-keys.tsx'
import { HandOverPanel, RemovalPanel } from './manage/danger.tsx'
import { ExportPanel } from './manage/export.tsx'
import { DescriptionPanel, MeaningPanel, ReadingOrderPanel, SchemePanel } from './manage/fields.tsx'
import type { Managed } from './manage/managed.ts'
import { ModelPanel } from './manage/model.tsx'
import { PublishingPanel, SharingPanel } from './manage/sharing.tsx'
import { type Framed, framed } from './project-frame.tsx'
import { toast } from './toast.ts'

const KeysPanel = () => <UserKeys user={frame.owner} only={frame.name} />

const panels: readonly (readonly [id: string, title: string, Show: FC<Managed>])[] = [
  ['description', 'Description', DescriptionPanel],
  ['publishing', 'Who can read it', PublishingPanel],
  ['sharing', 'Shared with', SharingPanel],
  ['keys', 'Keys for this project', KeysPanel],
  ['model', 'Model and provider', ModelPanel],
  ['meaning', 'Search by meaning', MeaningPanel],
  ['order', 'Reading order', ReadingOrderPanel],
  ['scheme', 'Metadata scheme', SchemePanel],
  ['export', 'Export', ExportPanel],
  ['hand-over', 'Hand it over', HandOverPanel],
  ['deletion', 'Empty or delete it', RemovalPanel],
]

function Panels({ project, reload }: Framed) {
  const changed = (words: string) => {
    toast(words)
    reload()
  }
  return (
    <div class="settings">
      <nav aria-label="On this page">
        <ul>
          {panels.map(([id, title]) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div>
        {panels.map(([id, title, Show]) => (
          <section key={id} class="panel" aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            <Show {...{ project, changed }} />
          </section>
        ))}
      </div>
    </div>
  )
}

export const ManagePage = framed(Panels, { needs: 'mayManage' })
