import { Button } from '../elements.tsx'
import { TextLink } from '../links.tsx'
import { useLoaded } from '../loading.ts'
import { type loadNeighbours, loadText } from './map-data.ts'
import type { MapPoints } from './plane.ts'

export interface ReadingProps {
  readonly points: MapPoints
  /** The text_id under the pointer, or else the chosen one; undefined if there is neither. */
  readonly textId: string | undefined
  /** '' if none is chosen. */
  readonly chosen: string
  /** The texts most similar to the chosen one, if they are loaded. */
  readonly near: Awaited<ReturnType<typeof loadNeighbours>>['results']
  /** @param textId '' for none */
  readonly choose: (textId: string) => void
}

/** Shows a text above the map, or on a phone at the bottom of the screen: nothing scrolls away. */
export function Reading({ points, textId, chosen, near, choose }: ReadingProps) {
  const { value } = useLoaded(textId, loadText)
  const { field, places } = points
  const isChosen = textId === chosen
  const fieldValue = field?.values[field.indexes[places.get(textId ?? '') ?? -1] ?? -1]
  return (
    <div
      class={chosen === '' ? 'reading' : 'reading chosen'}
      aria-live="polite"
      hidden={textId === undefined}
    >
      {textId !== undefined && (
        <>
          <p class="about">
            <TextLink textId={textId} />
            {fieldValue !== undefined && <span class="soft">{`${fieldValue}`}</span>}
            {isChosen && (
              <Button kind="quiet" act={() => choose('')}>
                Close
              </Button>
            )}
          </p>
          <p class="text">{value?.textId === textId ? value.text : '…'}</p>
        </>
      )}
      {isChosen && near.length > 0 && (
        <ol class="neighbours" aria-label="Neighbours">
          {near.map(({ id, similarity }) => (
            <li key={id}>
              <Button kind="quiet" act={() => choose(id)}>
                {id}
              </Button>{' '}
              <span class="count">{similarity?.toFixed(3)}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
