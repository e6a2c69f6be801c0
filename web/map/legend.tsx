import { useState } from 'hono/jsx/dom'
import { FieldSelect } from '../controls.tsx'
import { Button } from '../elements.tsx'
import { ramp, type Scale } from './colours.ts'
import type { ValueCount } from './plane.ts'

interface Props {
  readonly path: string
  readonly paths: readonly string[]
  readonly choose: (path: string) => void
  readonly values: readonly ValueCount[]
  readonly colours: ReadonlyMap<number, string>
  readonly scale: Scale | undefined
  /** The values whose texts are shown; undefined shows all. */
  readonly shown: ReadonlySet<number> | undefined
  readonly show: (shown: ReadonlySet<number> | undefined) => void
}

const listedValues = 50

/** Chooses the field that colours the points, and filters by its values. */
export function Legend(props: Props) {
  const { path, paths, choose, shown, show, scale } = props
  const [resets, countReset] = useState(0)
  const showAll = () => {
    show(undefined)
    countReset(resets + 1)
  }
  return (
    <div class="legend">
      <FieldSelect id="colour-by" label="Colour by" none="nothing" {...{ path, paths, choose }} />
      {scale === undefined ? (
        <Values {...props} />
      ) : (
        // Another field, and all texts, begin with empty inputs.
        <Numbers key={`${resets} ${path}`} {...props} scale={scale} />
      )}
      {shown !== undefined && (
        <Button kind="quiet" act={showAll}>
          Show all texts
        </Button>
      )}
    </div>
  )
}

function Values({ values, colours, shown, show }: Props) {
  const toggle = (index: number) => {
    const next = new Set(shown)
    if (!next.delete(index)) next.add(index)
    show(next.size === 0 ? undefined : next)
  }
  return (
    <>
      <ul>
        {values.slice(0, listedValues).map(({ index, label, count }) => (
          <li key={`${index}`}>
            <Button isPressed={shown?.has(index) === true} act={() => toggle(index)}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="5" fill={colours.get(index)} />
              </svg>
              <span class="value">{label === '' ? '(empty)' : label}</span>
              <span class="count">{count.toLocaleString('en-US')}</span>
            </Button>
          </li>
        ))}
      </ul>
      {values.length > listedValues && (
        <p class="soft">and {(values.length - listedValues).toLocaleString('en-US')} more values</p>
      )}
    </>
  )
}

function Numbers({ values, scale, show }: Props & { readonly scale: Scale }) {
  const limit = (event: Event) => {
    const { currentTarget } = event
    if (!(currentTarget instanceof HTMLElement)) return
    const ends = [...(currentTarget.closest('.scale')?.querySelectorAll('input') ?? [])]
    const [from = -Infinity, to = Infinity] = ends.map(({ value }) =>
      value === '' ? undefined : Number(value),
    )
    const within = values.filter(({ label }) => Number(label) >= from && Number(label) <= to)
    const isAll = ends.every(({ value }) => value === '')
    show(isAll ? undefined : new Set(within.map(({ index }) => index)))
  }
  const end = (name: string, usual: number) => (
    <label>
      {name} <input type="number" step="any" placeholder={`${usual}`} onInput={limit} />
    </label>
  )
  return (
    <div class="scale">
      <svg viewBox={`0 0 ${ramp.length} 1`} preserveAspectRatio="none" aria-hidden="true">
        {ramp.map((colour, place) => (
          <rect key={colour} x={`${place}`} width="1" height="1" fill={colour} />
        ))}
      </svg>
      {end('From', scale.least)}
      {end('to', scale.most)}
    </div>
  )
}
