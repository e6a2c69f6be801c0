import { useState } from 'hono/jsx/dom'
import { FieldSelect, RangeInputs } from '../controls.tsx'
import { Button, printNumber, typedIn } from '../elements.tsx'
import { chosenRange, chosenValues, toggleValue, withCondition } from '../project/view.ts'
import { ramp, rest, togglePicked } from './colours.ts'
import type { useColours } from './drawing.ts'
import type { MapNavigation } from './map-view.ts'
import type { PointField } from './plane.ts'

interface Props extends MapNavigation, ReturnType<typeof useColours> {
  readonly paths: readonly string[]
  readonly field: PointField | undefined
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
        <div key={field.path} class="scale">
          <svg viewBox={`0 0 ${ramp.length} 1`} preserveAspectRatio="none" aria-hidden="true">
            {ramp.map((colour, place) => (
              <rect key={colour} x={`${place}`} width="1" height="1" fill={colour} />
            ))}
          </svg>
          <span class="count">{scale.least}</span>
          <span class="count">{scale.most}</span>
          <RangeInputs
            range={chosenRange(view, field.path)}
            ends={[scale.least, scale.most]}
            choose={(range) => go(withCondition(view, field.path, range))}
          />
        </div>
      )}
    </div>
  )
}

const [fewValues, listedValues] = [10, 100]

type ValuesProps = Omit<Props, 'paths' | 'scale' | 'field'> & { readonly field: PointField }

function Values({ field, values, colours, picked, view, go }: ValuesProps) {
  const [typed, type] = useState('')
  const found = values.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
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
            placeholder={`Find one of ${printNumber(values.length)} values`}
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
            <span class="count">{printNumber(count)}</span>,
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
                act={() => go({ ...toggleValue(view, field.path, value), picked })}
              >
                {words}
              </Button>
            </li>
          )
        })}
      </ul>
      {found.length > listedValues && (
        <p class="soft">and {printNumber(found.length - listedValues)} more: type a part of one</p>
      )}
    </>
  )
}
