import { Button, counted, printNumber } from '../elements.tsx'
import type { FoundPairs, PairComparison } from './comparison.ts'
import { maxNeighbours } from './duplicates-view.ts'
import { maxPairs } from './pairs.ts'

interface Props {
  readonly comparison: PairComparison
  readonly pairs: number
  readonly groups: number
}

export function Summary({ comparison, pairs, groups }: Props) {
  const { found } = comparison
  const every =
    found?.whole === undefined ? '' : ` among ${printNumber(found.whole.embeddings)} texts`
  return (
    <>
      <div class="status">
        <h2 aria-live="polite">
          {found === undefined
            ? 'Comparing all texts…'
            : `${counted(pairs, 'pair')} in ${counted(groups, 'group')}${every}`}
        </h2>
      </div>
      {found === undefined && <Running comparison={comparison} />}
      {found !== undefined && pairs === 0 && (
        <p class="soft">No two texts are this similar. Lower the similarity to see more.</p>
      )}
      {found !== undefined && <Notes found={found} again={comparison.again} />}
    </>
  )
}

function Running({ comparison: { progress, stop } }: Pick<Props, 'comparison'>) {
  const { compared, total, pairs } = progress
  return (
    <div class="running">
      <progress aria-label="Texts compared" max={total ?? 1} value={total ? compared : undefined} />
      <span class="soft">
        {total === undefined ? '' : `${printNumber(compared)} of ${printNumber(total)} texts, `}
        {counted(pairs.length, 'pair')} so far
      </span>
      <Button act={stop}>Stop</Button>
    </div>
  )
}

interface NotesProps {
  readonly found: FoundPairs
  readonly again: () => void
}

function Notes({ found: { whole, collected }, again }: NotesProps) {
  const { floor, isFull, crowded } = collected
  return (
    <>
      {(isFull || floor > 0) && (
        <p class="note">
          There are more than {printNumber(maxPairs)} pairs
          {isFull ? ' as similar as these' : `; all above ${floor.toFixed(4)} are listed`}. To see
          the others, narrow the comparison by text_id or with a filter.
        </p>
      )}
      {whole === undefined && !isFull && (
        <p class="note">
          Stopped before all texts were compared. These are the pairs found so far.{' '}
          <Button kind="quiet" act={again}>
            Compare all
          </Button>
        </p>
      )}
      {whole?.isApproximate === true && (
        <p class="soft">
          The project is large, so each text was compared through an index. A few pairs may be
          missing.
        </p>
      )}
      {crowded > 0 && (
        <p class="soft">
          {counted(crowded, 'text')} {crowded === 1 ? 'has' : 'have'} at least {maxNeighbours}{' '}
          neighbours this similar. Only the {maxNeighbours} nearest of each were compared.
        </p>
      )}
    </>
  )
}
