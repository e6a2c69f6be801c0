import { useState } from 'hono/jsx/dom'
import { FieldSelect, whenComplete } from '../controls.tsx'
import { Button, typedIn } from '../elements.tsx'
import { chooseRange, chosenRange } from '../project/typed-condition.ts'
import { chosenValues, toggleValue } from '../project/view.ts'
import { ramp, rest, type Scale, togglePicked } from './colours.ts'
import type { MapNavigation } from './map-view.ts'
import type { PointField, ValueCount } from './plane.ts'

interface Props extends MapNavigation {
  readonly paths: readonly string[]
  readonly field: PointField | undefined
  readonly scale: Scale | undefined
  /** The most frequent first. */
  readonly values: readonly ValueCount[]
  readonly colours: ReadonlyMap<number, string>
  /** The labels of the values that have a colour by choice. */
  readonly picked: readonly string[]
}

/** Chooses the field that colours the points, and filters by its values. */
export function Legend({ paths, field, scale, ...props }: Props) {
  const { view, go } = props
  const choose = (colour: string) => go({ ...view, colour, picked: [] })
  return (
    <div class="legend">
      <FieldSelect
        id="colour-by"
        label="Colour by"
        none="nothing"
        path={view.colour}
        {...{ paths, choose }}
      />
      {field !== undefined && scale === undefined && (
        <Values key={field.path} field={field} {...props} />
      )}
      {field !== undefined && scale !== undefined && (
        <Numbers key={field.path} path={field.path} {...{ scale, view, go }} />
      )}
    </div>
  )
}

const [fewValues, listedValues] = [10, 100]

type ValuesProps = Omit<Props, 'paths' | 'scale' | 'field'> & { readonly field: PointField }

function Values({ field, values, colours, picked, view, go }: ValuesProps) {
  const [typed, type] = useState('')
  const sought = typed.toLowerCase()
  const found =
    sought === '' ? values : values.filter(({ label }) => label.toLowerCase().includes(sought))
  const chosen = chosenValues(view, field.path) ?? []
  return (
    <>
      {values.length > fewValues && (
        <>
          <p class="soft">
            The {fewValues} most frequent have colours. A click on a grey dot gives one.
          </p>
          <input
            type="search"
            aria-label={`Find a value of ${field.path}`}
            placeholder={`Find one of ${values.length.toLocaleString('en-US')} values`}
            onInput={(event: Event) => type(typedIn(event))}
          />
        </>
      )}
      <ul>
        {found.slice(0, listedValues).map(({ index, label, count }) => {
          const value = field.values[index]
          const colour = colours.get(index) ?? rest
          const isPicked = picked.includes(label)
          const dot = (
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <circle cx="5" cy="5" r="5" fill={colour} />
            </svg>
          )
          const words = [
            <span class="value">{label === '' ? '(empty)' : label}</span>,
            <span class="count">{count.toLocaleString('en-US')}</span>,
          ]
          const pick = () => go({ ...view, picked: togglePicked(picked, label) })
          if (value === undefined) return <li key={`${index}`}>{[dot, ...words]}</li>
          return (
            <li key={`${index}`}>
              {isPicked || colour === rest ? (
                <Button label={`Colour ${label}`} isPressed={isPicked} act={pick}>
                  {dot}
                </Button>
              ) : (
                dot
              )}
              <Button
                isPressed={chosen.includes(value)}
                act={() => go({ ...view, ...toggleValue(view, field.path, value), picked })}
              >
                {words}
              </Button>
            </li>
          )
        })}
      </ul>
      {found.length > listedValues && (
        <p class="soft">
          and {(found.length - listedValues).toLocaleString('en-US')} more: type a part of one
        </p>
      )}
    </>
  )
}

interface NumbersProps extends MapNavigation {
  readonly path: string
  readonly scale: Scale
}

function Numbers({ path, scale, view, go }: NumbersProps) {
  const range = chosenRange(view, path)
  const limit = (bound: '$gte' | '$lte') => (event: Event) => {
    const { [bound]: _, ...others } = range ?? {}
    const typed = typedIn(event)
    const next = typed === '' ? others : { ...others, [bound]: Number(typed) }
    const isAll = Object.keys(next).length === 0
    go({ ...view, ...chooseRange(view, path, isAll ? undefined : next) })
  }
  const end = (name: string, bound: '$gte' | '$lte', usual: number) => (
    <label>
      {name}{' '}
      <input
        type="number"
        step="any"
        placeholder={`${usual}`}
        value={`${range?.[bound] ?? ''}`}
        ref={whenComplete(limit(bound))}
      />
    </label>
  )
  return (
    <div class="scale">
      <svg viewBox={`0 0 ${ramp.length} 1`} preserveAspectRatio="none" aria-hidden="true">
        {ramp.map((colour, place) => (
          <rect key={colour} x={`${place}`} width="1" height="1" fill={colour} />
        ))}
      </svg>
      <span class="count">{scale.least}</span>
      <span class="count">{scale.most}</span>
      {end('From', '$gte', scale.least)}
      {end('to', '$lte', scale.most)}
    </div>
  )
}
