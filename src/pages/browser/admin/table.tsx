interface Props {
  readonly title: string
  /** How many there are, where not all may be listed. */
  readonly count?: number | undefined
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** What is said where there is nothing. */
  readonly none: string
  readonly children?: unknown
}

interface Column {
  readonly name: string
  readonly is?: 'number' | 'words' | 'whole'
}

export const number = (name: string): Column => ({ name, is: 'number' })

/** A list of figures; where it is too wide it is scrolled, and not the page. */
export const Table = ({ title, count, columns, rows, none, children }: Props) => (
  <section aria-label={title}>
    <h2>
      {title} {count !== undefined && <span class="count">{count.toLocaleString('en-US')}</span>}
    </h2>
    {children}
    {rows.length === 0 ? (
      <p class="soft">{none}</p>
    ) : (
      <section class="wide" aria-label={`Table: ${title}`} tabindex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, is }) => (
                <th key={name} scope="col" class={is}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, index) => (
              <tr key={index}>
                {cells.map((cell, at) => (
                  <td key={at} class={columns[at]?.is}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    )}
  </section>
)
