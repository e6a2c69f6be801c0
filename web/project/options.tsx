import { ThresholdSlider } from '../threshold-slider.tsx'
import { typedIn } from './search-form.tsx'
import { firstPage, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly paths: readonly string[]
  readonly go: (view: View) => void
}

/** Sets the similarity threshold and the field to group by. */
export function OptionsForm({ view, paths, go }: Props) {
  const others = view.groupBy === '' || paths.includes(view.groupBy) ? [] : [view.groupBy]
  return (
    <div class="options">
      <ThresholdSlider
        threshold={view.threshold}
        min={0}
        step={0.01}
        choose={(threshold) => go(firstPage({ ...view, threshold }))}
      />
      <span>
        <label for="group-by">Group by</label>
        <select
          id="group-by"
          onChange={(event: Event) => go(firstPage({ ...view, groupBy: typedIn(event) }))}
        >
          {['', ...others, ...paths].map((path) => (
            <option key={path} value={path} selected={path === view.groupBy}>
              {path === '' ? 'nothing' : path}
            </option>
          ))}
        </select>
      </span>
    </div>
  )
}

export function PrefixForm({ view, go }: Omit<Props, 'paths'>) {
  const submit = (event: Event) => {
    event.preventDefault()
    const input = document.querySelector<HTMLInputElement>('#prefix')
    go(firstPage({ ...view, prefix: input?.value ?? '' }))
  }
  return (
    <form class="prefix" onSubmit={submit}>
      <label for="prefix">text_id begins with</label>
      <input
        id="prefix"
        type="search"
        key={view.prefix}
        value={view.prefix}
        autocomplete="off"
        spellcheck={false}
        onChange={submit}
      />
    </form>
  )
}
