import { useEffect, useState } from 'hono/jsx/dom'
import { typedIn } from './project/search-form.tsx'

interface Props {
  readonly threshold: number
  /** The lowest selectable threshold. */
  readonly min: number
  readonly step: number
  readonly choose: (threshold: number) => void
}

/**
 * A slider for the similarity threshold. It shows the value while it moves, and applies it when
 * released.
 */
export function ThresholdSlider({ threshold, min, step, choose }: Props) {
  const [slid, slide] = useState(threshold)
  useEffect(() => slide(threshold), [threshold])
  return (
    <span>
      <label for="threshold">Similarity at least</label>
      <input
        id="threshold"
        type="range"
        min={String(min)}
        max="1"
        step={String(step)}
        value={String(slid)}
        onInput={(event: Event) => slide(Number(typedIn(event)))}
        onChange={(event: Event) => choose(Number(typedIn(event)))}
      />
      <output for="threshold">{slid.toFixed(String(step).length - 2)}</output>
    </span>
  )
}
