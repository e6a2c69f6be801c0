interface Props {
  readonly path: string
  /** The fields that points can be coloured by. */
  readonly paths: readonly string[]
  readonly choose: (path: string) => void
  /** Of the field, the most frequent first. */
  readonly values: readonly {
    readonly index: number
    readonly label: string
    readonly count: number
  }[]
  readonly colours: ReadonlyMap<number, string>
  readonly total: number
}

const shownValues = 10

/** What points are coloured by, and which colour is which value. */
export function Legend({ path, paths, choose, values, colours, total }: Props) {
  const shown = values.slice(0, shownValues)
  const rest = total - shown.reduce((sum, { count }) => sum + count, 0)
  const others = path === '' || paths.includes(path) ? [] : [path]
  return (
    <div class="legend">
      <label for="colour-by">Colour by</label>
      <select
        id="colour-by"
        onChange={(event: Event) =>
          event.currentTarget instanceof HTMLSelectElement && choose(event.currentTarget.value)
        }
      >
        {['', ...others, ...paths].map((each) => (
          <option key={each} value={each} selected={each === path}>
            {each === '' ? 'nothing' : each}
          </option>
        ))}
      </select>
      <ul>
        {shown.map(({ index, label, count }) => (
          <li key={`${index}`}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <circle cx="5" cy="5" r="5" fill={colours.get(index)} />
            </svg>
            <span class="value">{label === '' ? '(empty)' : label}</span>
            <span class="count">{count.toLocaleString('en-US')}</span>
          </li>
        ))}
        {path !== '' && rest > 0 && (
          <li>
            <span class="value soft">others</span>
            <span class="count">{rest.toLocaleString('en-US')}</span>
          </li>
        )}
      </ul>
    </div>
  )
}
