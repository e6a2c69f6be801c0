import { useMemo } from 'hono/jsx/dom'
import { Similarity, TextLink } from '../elements.tsx'
import { differencesOf, maxShownCharacters, type TextPart } from './differences.ts'
import type { Pair, TextGroup } from './pairs.ts'

interface ListProps {
  readonly name: string
  /** Undefined while loading. */
  readonly texts: ReadonlyMap<string, string> | undefined
}

/** Shows pairs with both texts side by side and their differences marked. */
export const PairList = ({
  name,
  pairs,
  texts,
}: ListProps & { readonly pairs: readonly Pair[] }) => (
  <ol class="pairs">
    {pairs.map((pair) => (
      <PairItem key={`${pair.id}\n${pair.neighbour}`} name={name} pair={pair} texts={texts} />
    ))}
  </ol>
)

function PairItem({ name, pair, texts }: ListProps & { readonly pair: Pair }) {
  const { id, neighbour, similarity } = pair
  const [before, after] = [texts?.get(id), texts?.get(neighbour)]
  const differences = useMemo(() => differencesOf(before ?? '', after ?? ''), [before, after])
  const hasBoth = before !== undefined && after !== undefined
  return (
    <li class="pair">
      <p class="about">
        <Similarity value={similarity} />
        {hasBoth && before === after && <span class="soft">the same text</span>}
        {hasBoth && differences.isCut && (
          <span class="soft">only the beginnings were compared</span>
        )}
      </p>
      {[
        { textId: id, text: before, parts: differences.before, mark: 'del' as const },
        { textId: neighbour, text: after, parts: differences.after, mark: 'ins' as const },
      ].map(({ textId, text, parts, mark }) => (
        <div key={textId}>
          <TextLink name={name} textId={textId} />
          <MarkedText
            isLoading={texts === undefined}
            text={text}
            parts={hasBoth ? parts : undefined}
            mark={mark}
          />
        </div>
      ))}
    </li>
  )
}

/** Larger groups show only their first members. */
export const membersShown = 12

/** Shows groups with their texts, and marks in each text what the first one does not have. */
export const GroupList = ({
  name,
  groups,
  texts,
}: ListProps & { readonly groups: readonly TextGroup[] }) => (
  <>
    {groups.map((group) => (
      <GroupSection key={group.ids[0] ?? ''} name={name} group={group} texts={texts} />
    ))}
  </>
)

function GroupSection({ name, group, texts }: ListProps & { readonly group: TextGroup }) {
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

interface MarkedProps {
  readonly isLoading: boolean
  readonly text: string | undefined
  /** Undefined if there is no text to compare it with. */
  readonly parts: readonly TextPart[] | undefined
  /**
   * Marks the parts that only this text has: as deleted in the first text, or as inserted in the
   * second.
   */
  readonly mark: 'del' | 'ins'
}

/** Shows a text with its differences marked. */
function MarkedText({ isLoading, text, parts, mark: Mark }: MarkedProps) {
  if (text === undefined) return <p class="soft">{isLoading ? 'Loading…' : 'No text is stored.'}</p>
  const shown = parts ?? [{ text: text.slice(0, maxShownCharacters), isShared: true }]
  const length = shown.reduce((sum, part) => sum + part.text.length, 0)
  return (
    <p class="text">
      {shown.map((part, index) =>
        part.isShared ? (
          <span key={`${index}`}>{part.text}</span>
        ) : (
          <Mark key={`${index}`}>{part.text}</Mark>
        ),
      )}
      {length < text.length && ' …'}
    </p>
  )
}
