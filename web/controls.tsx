import { useLayoutEffect, useState } from 'hono/jsx/dom'
import { Options, typedIn } from './elements.tsx'
import type { Range } from './project/view.ts'

/**
 * As the ref of an input: hears of a value when it is complete. What JSX has as `onChange` hears of
 * each keystroke.
 */
export const whenComplete = (hear: (event: Event) => void) => (input: HTMLElement | null) => {
  input?.addEventListener('change', hear)
  return () => input?.removeEventListener('change', hear)
}

interface ThresholdProps {
  readonly threshold: number
  /** The lowest selectable threshold. */
  readonly min: number
  readonly step: number
  /** Where one of a hundred random pairs is more similar. */
  readonly chance?: number | undefined
  readonly choose: (threshold: number) => void
}

/** Shows the threshold while the slider moves, and applies it when it is released. */
export function ThresholdSlider({ threshold, min, step, chance, choose }: ThresholdProps) {
  const [slid, slide] = useState(threshold)
  useLayoutEffect(() => slide(threshold), [threshold])
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
        list="chance"
        onInput={(event: Event) => slide(Number(typedIn(event)))}
        ref={whenComplete((event) => choose(Number(typedIn(event))))}
      />
      <output for="threshold">{slid.toFixed(String(step).length - 2)}</output>
      {chance !== undefined && (
        <>
          <datalist id="chance">
            <option value={chance.toFixed(2)} />
          </datalist>
          <span class="soft" title="Of 100 random pairs of texts, 99 are less similar">
            chance ends at {chance.toFixed(2)}
          </span>
        </>
      )}
    </span>
  )
}

interface FieldSelectProps {
  readonly id: string
  readonly label: string
  /** The words for no field. */
  readonly none: string
  /** The chosen field, which need not be one of the paths; '' for none. */
  readonly path: string
  readonly paths: readonly string[]
  readonly choose: (path: string) => void
}

export function FieldSelect({ id, label, none, path, paths, choose }: FieldSelectProps) {
  const shown = [...new Set(['', path, ...paths])]
  return (
    <div class="control">
      <label for={id}>{label}</label>
      <select id={id} onChange={(event: Event) => choose(typedIn(event))}>
        <Options of={shown.map((each) => [each, each || none])} chosen={path} />
      </select>
    </div>
  )
}

interface PrefixProps {
  readonly prefix: string
  readonly choose: (prefix: string) => void
}

export const PrefixInput = ({ prefix, choose }: PrefixProps) => (
  <div class="control">
    <label for="prefix">text_id begins with</label>
    <input
      id="prefix"
      type="search"
      value={prefix}
      autocomplete="off"
      spellcheck={false}
      ref={whenComplete((event) => choose(typedIn(event)))}
    />
  </div>
)

interface RangeProps {
  readonly range: Range | undefined
  /** The smallest and the largest number that there are, if they are known. */
  readonly ends?: readonly number[]
  readonly choose: (range: Range | undefined) => void
}

/** Between which numbers the values of a field have to be. */
export function RangeInputs({ range = {}, ends = [], choose }: RangeProps) {
  const end = (words: string, bound: keyof Range, usual: number | undefined) => {
    const limit = (event: Event) => {
      const { [bound]: _, ...others } = range
      const typed = typedIn(event)
      const next = typed === '' ? others : { ...others, [bound]: Number(typed) }
      choose(Object.keys(next).length === 0 ? undefined : next)
    }
    return (
      <label>
        {words}{' '}
        <input
          type="number"
          step="any"
          placeholder={`${usual ?? ''}`}
          value={`${range[bound] ?? ''}`}
          ref={whenComplete(limit)}
        />
      </label>
    )
  }
  return (
    <div class="range">
      {end('From', '$gte', ends[0])}
      {end('to', '$lte', ends[1])}
    </div>
  )
}
