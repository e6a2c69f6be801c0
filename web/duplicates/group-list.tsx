import { TextLink } from '../project/text-link.tsx'
import { differencesOf } from './differences.ts'
import type { TextGroup } from './groups.ts'
import { MarkedText } from './marked-text.tsx'

interface Props {
  readonly name: string
  readonly groups: readonly TextGroup[]
  /** Undefined while loading. */
  readonly texts: ReadonlyMap<string, string> | undefined
}

/** Larger groups show only their first members. */
export const membersShown = 12

/** Shows groups with their texts, and marks in each text what the first one does not have. */
export const GroupList = ({ name, groups, texts }: Props) => (
  <>
    {groups.map((group) => (
      <GroupSection key={group.ids[0] ?? ''} name={name} group={group} texts={texts} />
    ))}
  </>
)

function GroupSection({ name, group, texts }: Omit<Props, 'groups'> & { group: TextGroup }) {
  const { ids, least, most } = group
  const shown = ids.slice(0, membersShown)
  const first = texts?.get(shown[0] ?? '')
  return (
    <section class="group">
      <h3>
        {ids.length} texts{' '}
        <span class="count">
          {least === most
            ? `similarity ${most.toFixed(3)}`
            : `similarity ${least.toFixed(3)} to ${most.toFixed(3)}`}
        </span>
      </h3>
      <ol class="rows">
        {shown.map((id, index) => {
          const text = texts?.get(id)
          const isCompared = index > 0 && first !== undefined && text !== undefined
          return (
            <li key={id} class="row">
              <div class="about">
                <TextLink name={name} textId={id} />
              </div>
              <MarkedText
                isLoading={texts === undefined}
                text={text}
                parts={isCompared ? differencesOf(first, text).after : undefined}
                mark="ins"
              />
            </li>
          )
        })}
      </ol>
      {ids.length > shown.length && (
        <p class="soft">
          and {(ids.length - shown.length).toLocaleString('en-US')} more in the saved files
        </p>
      )}
    </section>
  )
}
