import { type Row, RowItem } from './row.tsx'
import type { View } from './view.ts'

interface Props {
  readonly rows: readonly Row[]
  readonly view: View
  readonly go: (view: View) => void
}

/** Shows rows, under a heading per group if they are grouped. */
export function Rows({ rows, view, go }: Props) {
  // While a grouped answer is loading, the previous rows have no groups.
  if (view.groupBy === '' || rows.some(({ group }) => group === undefined)) {
    return <RowList rows={rows} view={view} go={go} />
  }
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const name = row.group === null ? '' : groupName(row.group)
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return (
    <>
      {[...groups].map(([name, of]) => (
        <section key={name} class="group">
          <h3>{name === '' ? <em>without {view.groupBy}</em> : name}</h3>
          <RowList rows={of} view={view} go={go} />
        </section>
      ))}
    </>
  )
}

const groupName = (group: unknown) => (typeof group === 'string' ? group : JSON.stringify(group))

const RowList = ({ rows, view, go }: Props) => (
  <ol class="rows">
    {rows.map((row) => (
      <RowItem key={row.textId} row={row} view={view} go={go} />
    ))}
  </ol>
)
