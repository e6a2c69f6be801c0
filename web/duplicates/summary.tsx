import { Button, counted, Notice, printNumber } from '../elements.tsx'
import type { useComparison } from './comparison.ts'
import { maxNeighbours } from './duplicates-view.ts'
import { maxPairs } from './pairs.ts'

interface Props {
  readonly comparison: ReturnType<typeof useComparison>
  /** How many reach the threshold. */
  readonly pairs: number
  readonly groups: number
}

/** Says how far a comparison has come, or what it has found and what it may have missed. */
export function Summary({ comparison, pairs, groups }: Props) {
  const { isRunning, found, stop } = comparison
  const { compared, total, whole } = found
  const among = whole === undefined ? '' : ` among ${counted(whole.embeddings ?? 0)}`
  const heading = `${counted(pairs, 'pair')} in ${counted(groups, 'group')}${among}`
  return (
    <>
      <div class="status">
        <h2 aria-live="polite">{isRunning ? 'Comparing all texts…' : heading}</h2>
      </div>
      {isRunning ? (
        <div class="running">
          <progress
            aria-label="Texts compared"
            max={total ?? 1}
            value={total ? compared : undefined}
          />
          <span class="soft">
            {total !== null && `${printNumber(compared)} of ${counted(total)}, `}
            {counted(found.pairs.length, 'pair')} so far
          </span>
          <Button act={stop}>Stop</Button>
        </div>
      ) : (
        <>
          {pairs === 0 && (
            <p class="soft">No two texts are this similar. Lower the similarity to see more.</p>
          )}
          <Notes {...comparison} />
        </>
      )}
    </>
  )
}

function Notes({ found: { whole, collected }, again }: Props['comparison']) {
  const { floor, isFull, crowded } = collected
  return (
    <>
      {(isFull || floor > 0) && (
        <Notice kind="info">
          There are more than {printNumber(maxPairs)} pairs
          {isFull ? ' as similar as these' : `; all above ${floor.toFixed(4)} are listed`}. To see
          the others, narrow the comparison by text_id or with a filter.
        </Notice>
      )}
      {whole === undefined && !isFull && (
        <Notice kind="info">
          Stopped before all texts were compared. These are the pairs found so far.{' '}
          <Button kind="quiet" act={again}>
            Compare all
          </Button>
        </Notice>
      )}
      {whole?.mode === 'approximate' && (
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
