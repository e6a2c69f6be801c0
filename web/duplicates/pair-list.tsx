import { useMemo } from 'hono/jsx/dom'
import { Similarity } from '../project/similarity.tsx'
import { TextLink } from '../project/text-link.tsx'
import { differencesOf } from './differences.ts'
import { MarkedText } from './marked-text.tsx'
import type { Pair } from './pair-collector.ts'

interface Props {
  readonly name: string
  readonly pairs: readonly Pair[]
  /** Undefined while loading. */
  readonly texts: ReadonlyMap<string, string> | undefined
}

/** Shows pairs with both texts side by side and their differences marked. */
export const PairList = ({ name, pairs, texts }: Props) => (
  <ol class="pairs">
    {pairs.map((pair) => (
      <PairItem key={`${pair.id}\n${pair.neighbour}`} name={name} pair={pair} texts={texts} />
    ))}
  </ol>
)

function PairItem({ name, pair, texts }: Omit<Props, 'pairs'> & { readonly pair: Pair }) {
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
