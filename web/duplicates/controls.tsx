import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { typedIn } from '../project/search-form.tsx'
import { ThresholdSlider } from '../threshold-slider.tsx'
import { useLoaded } from '../use-loaded.ts'
import { type DuplicatesView, leastThreshold } from './duplicates-view.ts'

type Fields = Schemas['ProjectFields']

interface Props {
  readonly name: string
  readonly view: DuplicatesView
  readonly go: (view: DuplicatesView) => void
}

/** Sets which pairs count. */
export function Controls({ name, view, go }: Props) {
  const change = (part: Partial<DuplicatesView>) => go({ ...view, ...part, page: 1 })
  return (
    <>
      <div class="options">
        <ThresholdSlider
          threshold={view.threshold}
          min={leastThreshold}
          step={0.005}
          choose={(threshold) => change({ threshold })}
        />
        <DifferentSelect name={name} view={view} choose={(different) => change({ different })} />
        <span>
          <label for="prefix">text_id begins with</label>
          <input
            id="prefix"
            type="search"
            key={view.prefix}
            value={view.prefix}
            autocomplete="off"
            spellcheck={false}
            onChange={(event: Event) => change({ prefix: typedIn(event) })}
          />
        </span>
      </div>
      {Object.keys(view.filter).length > 0 && (
        <p class="conditions">
          Only texts with <code class="condition">{JSON.stringify(view.filter)}</code>{' '}
          <button type="button" class="quiet" onClick={() => change({ filter: {} })}>
            Clear filters
          </button>
        </p>
      )}
    </>
  )
}

interface SelectProps {
  readonly name: string
  readonly view: DuplicatesView
  readonly choose: (different: string) => void
}

/** Chooses a field, such as the book, in which the two texts of a pair have to differ. */
function DifferentSelect({ name, view: { different }, choose }: SelectProps) {
  const { value } = useLoaded<Fields>(name, (signal) =>
    call<Fields>(`v1/projects/${name}/fields`, { signal }).then(({ data }) => data),
  )
  const known = value?.fields.flatMap(({ path, values }) => (values.length > 0 ? path : [])) ?? []
  const paths = different === '' || known.includes(different) ? known : [different, ...known]
  return (
    <span>
      <label for="different">Only across</label>
      <select id="different" onChange={(event: Event) => choose(typedIn(event))}>
        {['', ...paths].map((path) => (
          <option key={path} value={path} selected={path === different}>
            {path === '' ? 'no field' : path}
          </option>
        ))}
      </select>
    </span>
  )
}
