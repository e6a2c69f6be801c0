import { FieldSelect, PrefixInput, ThresholdSlider } from '../elements.tsx'
import { useFields } from '../loading.ts'
import { type DuplicatesView, leastThreshold } from './duplicates-view.ts'

interface Props {
  readonly name: string
  readonly view: DuplicatesView
  readonly go: (view: DuplicatesView) => void
}

/** Sets which pairs count. */
export function Controls({ name, view, go }: Props) {
  const change = (part: Partial<DuplicatesView>) => go({ ...view, ...part, page: 1 })
  const { paths } = useFields(name)
  return (
    <>
      <div class="options">
        <ThresholdSlider
          threshold={view.threshold}
          min={leastThreshold}
          step={0.005}
          choose={(threshold) => change({ threshold })}
        />
        <span>
          <FieldSelect
            id="different"
            label="Only across"
            none="no field"
            path={view.different}
            paths={paths}
            choose={(different) => change({ different })}
          />
        </span>
        <span>
          <PrefixInput prefix={view.prefix} choose={(prefix) => change({ prefix })} />
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
