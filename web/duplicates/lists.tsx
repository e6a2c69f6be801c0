import { useMemo, useState } from 'hono/jsx/dom'
import { Button, printNumber, RefusalNote, Similarity } from '../elements.tsx'
import { TextLink } from '../links.tsx'
import { useLoaded } from '../loading.ts'
import { loadTexts } from '../project/texts.ts'
import { differencesOf, maxShownCharacters, type TextPart } from './differences.ts'
import type { Pair, TextGroup } from './pairs.ts'

interface ListProps {
  /** Undefined while loading. */
  readonly texts: ReadonlyMap<string, string> | undefined
}

export const PairList = ({ pairs, texts }: ListProps & { readonly pairs: readonly Pair[] }) => (
  <ol class="pairs">
    {pairs.map((pair) => (
      <PairItem key={`${pair.id}\n${pair.neighbour}`} pair={pair} texts={texts} />
    ))}
  </ol>
)

function PairItem({ pair, texts }: ListProps & { readonly pair: Pair }) {
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
      {(
        [
          { textId: id, text: before, mark: 'del', parts: differences.before },
          { textId: neighbour, text: after, mark: 'ins', parts: differences.after },
        ] as const
      ).map(({ textId, parts, ...shown }) => (
        <div key={textId}>
          <TextLink textId={textId} />
          <MarkedText
            isLoading={texts === undefined}
            parts={hasBoth ? parts : undefined}
            {...shown}
          />
        </div>
      ))}
    </li>
  )
}

export const membersShown = 12

/** Marks in each text of a group what the first one does not have. */
export function GroupSection({ group, texts: first }: ListProps & { readonly group: TextGroup }) {
  const { ids, least, most } = group
  const [showsAll, showAll] = useState(false)
  const of = showsAll ? JSON.stringify(ids) : undefined
  const rest = useLoaded(of, (signal) => loadTexts(ids, signal))
  const texts = rest.value ?? first
  const shown = rest.value === undefined ? ids.slice(0, membersShown) : ids
  const original = texts?.get(shown[0] ?? '')
  return (
    <section class="group">
      <h3>
        {ids.length} texts{' '}
        <span class="count">
          similarity {least < most && `${least.toFixed(3)} to `}
          {most.toFixed(3)}
        </span>
      </h3>
      <ol class="rows">
        {shown.map((id, index) => {
          const text = texts?.get(id)
          const isCompared = index > 0 && original !== undefined && text !== undefined
          return (
            <li key={id} class="row">
              <div class="about">
                <TextLink textId={id} />
              </div>
              <MarkedText
                isLoading={texts === undefined}
                text={text}
                parts={isCompared ? differencesOf(original, text).after : undefined}
                mark="ins"
              />
            </li>
          )
        })}
      </ol>
      <RefusalNote refusal={rest.refusal} />
      {ids.length > shown.length && (
        <Button act={() => showAll(true)}>Show all {printNumber(ids.length)}</Button>
      )}
    </section>
  )
}

interface MarkedProps {
  readonly isLoading: boolean
  readonly text: string | undefined
  /** Undefined if there is no text to compare it with. */
  readonly parts: readonly TextPart[] | undefined
  /** How the parts are marked that only this text has. */
  readonly mark: 'del' | 'ins'
}

function MarkedText({ isLoading, text, parts, mark: Mark }: MarkedProps) {
  if (text === undefined) return <p class="soft">{isLoading ? 'Loading…' : 'No text is stored.'}</p>
  const shown = parts ?? [{ text: text.slice(0, maxShownCharacters), isShared: true }]
  const length = shown.reduce((sum, part) => sum + part.text.length, 0)
  return (
    <p class="text">
      {shown.map((part) => (part.isShared ? part.text : <Mark>{part.text}</Mark>))}
      {length < text.length && ' …'}
    </p>
  )
}
