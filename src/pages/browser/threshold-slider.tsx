import { useEffect, useState } from 'hono/jsx/dom'
import { typedIn } from './project/search-form.tsx'

interface Props {
  readonly threshold: number
  /** The least that can be chosen, and by how much more. */
  readonly min: number
  readonly step: number
  readonly choose: (threshold: number) => void
}

/** How similar results have to be: shown while it is moved, chosen when it is let go. */
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
