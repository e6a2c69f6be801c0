import { useState } from 'hono/jsx/dom'
import { Button, printNumber } from './elements.tsx'
import { Icon } from './icons.tsx'

export interface Column<Row> {
  readonly title: string
  /** What the rows can be sorted by. */
  readonly by?: (row: Row) => string | number
  /** Without it, what they are sorted by is shown. */
  readonly show?: (row: Row) => unknown
  readonly isNumber?: boolean
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** If the rows are a page of more. */
  readonly ordered?: Ordered
}

interface Ordered {
  readonly order: Order | undefined
  readonly sort: (order: Order) => void
}

export interface Order {
  readonly title: string
  readonly isDown: boolean
}

/** A table that is sorted by a click on a heading. On a phone each row is a card. */
export function Table<Row>({ label, columns, rows, keyOf, ordered }: Props<Row>) {
  const [ownOrder, sortOwn] = useState<Order | undefined>(undefined)
  const { order, sort } = ordered ?? { order: ownOrder, sort: sortOwn }
  const sorted = ordered === undefined ? sortedRows(rows, columns, order) : rows
  return (
    <table class="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={column.title} {...{ column, order, sort }} />
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, by, show = printed(by), isNumber }) => (
              <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                {show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const printed =
  <Row,>(by: Column<Row>['by']) =>
  (row: Row) => {
    const value = by?.(row)
    return typeof value === 'number' ? printNumber(value) : value
  }

export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | undefined,
): readonly Row[] {
  const by = columns.find(({ title }) => title === order?.title)?.by
  if (by === undefined) return rows
  const sorted = rows.toSorted((a, b) => compare(by(a), by(b)))
  return order?.isDown ? sorted.toReversed() : sorted
}

const { compare: compareWords } = new Intl.Collator('en', { numeric: true })

const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareWords(String(a), String(b))

function Heading<Row>({ column, order, sort }: Ordered & { readonly column: Column<Row> }) {
  const { title, by, isNumber } = column
  const isSorted = order?.title === title
  const isDown = isSorted && order.isDown
  const direction = isDown ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSorted ? direction : undefined}
    >
      {by === undefined ? (
        title
      ) : (
        // Of numbers the largest are first, of words those that begin with A.
        <Button
          kind="quiet"
          act={() => sort({ title, isDown: isSorted ? !isDown : isNumber === true })}
        >
          {title}
          {isSorted && <Icon name={isDown ? 'down' : 'up'} />}
        </Button>
      )}
    </th>
  )
}
