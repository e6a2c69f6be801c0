import { FieldSelect, PrefixInput, ThresholdSlider } from '../controls.tsx'
import { Button } from '../elements.tsx'
import { useFields } from '../loading.ts'
import { type DuplicatesView, leastThreshold } from './duplicates-view.ts'

interface Props {
  readonly view: DuplicatesView
  readonly go: (view: DuplicatesView) => void
}

export function Controls({ view, go }: Props) {
  const change = (part: Partial<DuplicatesView>) => go({ ...view, ...part, page: 1 })
  const { paths } = useFields()
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
          <Button kind="quiet" act={() => change({ filter: {} })}>
            Clear filters
          </Button>
        </p>
      )}
    </>
  )
}
