import { useMemo, useState } from 'hono/jsx/dom'
import { csvOf } from '../csv.ts'
import { Button, ButtonLink, counted, printNumber, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'
import { useLoaded } from '../loading.ts'
import { loadTexts } from '../project/texts.ts'
import { emptyView, printView } from '../project/view.ts'
import { saveAs } from '../save.ts'
import { type Column, type Order, sortedRows, Table } from '../table.tsx'
import type { Hit, Hits } from './drawing.ts'
import type { MapPoints } from './plane.ts'

interface Props {
  readonly points: MapPoints
  /** The texts, by their places. */
  readonly of: readonly number[]
  readonly hits: Hits | undefined
  readonly title: string
  readonly choose: (textId: string) => void
}

interface Row {
  readonly textId: string
  readonly value: string | number | boolean | undefined
  readonly hit: Hit | undefined
}

const pageSize = 100
const shownCharacters = 400
/** A URL with more is refused by servers. */
const maxFilterCharacters = 6_000
/** The API's maximum; their text_ids are longer than a URL. */
const maxFilterValues = 1_000

/** Shows the texts that are selected or found, a page at a time, and hands them on. */
export function TextTable({ points, of, hits, title, choose }: Props) {
  const [order, sort] = useState<Order | undefined>(undefined)
  const [page, turnTo] = useState(0)
  const { field, textIds } = points
  const rows = useMemo(
    () =>
      of.map((at) => ({
        textId: textIds[at] ?? '',
        value: field?.values[field.indexes[at] ?? -1],
        hit: hits?.get(at),
      })),
    [of, points, hits],
  )
  const textOf = (textId: string) =>
    texts.value?.get(textId)?.slice(0, shownCharacters) ?? (texts.isLoading ? '…' : '')
  const columns = columnsOf(field?.path, rows, textOf, choose)
  const sorted = useMemo(() => sortedRows(rows, columns, order), [rows, order])
  const pages = Math.ceil(rows.length / pageSize)
  const from = Math.min(page, pages - 1) * pageSize
  const shown = sorted.slice(from, from + pageSize)
  const ids = shown.map(({ textId }) => textId)
  const texts = useLoaded(JSON.stringify(ids), (signal) => loadTexts(ids, signal))
  const turn = (words: string, to: number) => <Button act={() => turnTo(to)}>{words}</Button>
  const sortAnew = (next: Order) => {
    sort(next)
    turnTo(0)
  }
  return (
    <section class="text-table" aria-label={title}>
      <div class="tools">
        <h2 aria-live="polite">{title}</h2>
        <span class="gap" />
        <HandOn rows={sorted} />
      </div>
      <RefusalNote refusal={texts.refusal} />
      <div class="scrolled">
        <Table
          label={title}
          columns={columns}
          rows={shown}
          keyOf={({ textId }) => textId}
          ordered={{ order, sort: sortAnew }}
        />
      </div>
      {pages > 1 && (
        <nav class="pages" aria-label="Pages of the table">
          {from > 0 && turn('Previous page', page - 1)}
          <span class="soft">
            {printNumber(from + 1)} to {printNumber(from + shown.length)} of{' '}
            {printNumber(rows.length)}
          </span>
          {from + pageSize < rows.length && turn('Next page', page + 1)}
        </nav>
      )}
    </section>
  )
}

function columnsOf(
  path: string | undefined,
  rows: readonly Row[],
  textOf: (textId: string) => string,
  choose: Props['choose'],
): Column<Row>[] {
  const has = (part: keyof Hit) => rows.some(({ hit }) => hit?.[part] !== undefined)
  const chosen = (textId: string) => (
    <Button kind="quiet" act={() => choose(textId)}>
      {textId}
    </Button>
  )
  const value: Column<Row> = {
    title: path ?? '',
    by: ({ value }) => printed(value),
    show: ({ value = '' }) => `${value}`,
  }
  const rank: Column<Row> = {
    title: has('similarity') ? 'Similarity' : 'Rank',
    isNumber: true,
    // The best first.
    by: ({ hit }) => -(hit?.rank ?? Infinity),
    show: ({ hit }) => hit?.similarity?.toFixed(3) ?? hit?.rank ?? '',
  }
  return [
    { title: 'text_id', by: ({ textId }) => textId, show: ({ textId }) => chosen(textId) },
    { title: 'Text', show: ({ textId }) => <p class="clamped">{textOf(textId)}</p> },
    ...(path === undefined ? [] : [value]),
    ...(has('rank') ? [rank] : []),
  ]
}

const printed = (value: Row['value'] = '') => (typeof value === 'number' ? value : `${value}`)
const csvRow = ({ textId, value }: Row) => [textId, printed(value)]
const jsonLine = ({ textId, value }: Row) => `${JSON.stringify({ text_id: textId, value })}\n`

/** As a file, or as the filter of another page. */
function HandOn({ rows }: { readonly rows: readonly Row[] }) {
  const saveCsv = () => saveAs('selection', 'csv', csvOf(['text_id', 'value'], rows.map(csvRow)))
  const saveJson = () => saveAs('selection', 'ndjson', rows.map(jsonLine).join(''))
  const ids = rows.slice(0, maxFilterValues).map(({ textId }) => textId)
  const query = printView({ ...emptyView, filter: { text_id: { $in: ids } } })
  return (
    <>
      <Button icon="download" act={saveCsv}>
        CSV
      </Button>
      <Button icon="download" act={saveJson}>
        NDJSON
      </Button>
      {query.length <= maxFilterCharacters ? (
        <>
          <ButtonLink icon="search" href={`../${frame.project}${query}`}>
            Search among these
          </ButtonLink>
          <ButtonLink icon="duplicates" href={`duplicates${query}`}>
            Near-duplicates among these
          </ButtonLink>
        </>
      ) : (
        <span class="soft">
          {counted(rows.length)} are too many for the address of another page.
        </span>
      )}
    </>
  )
}
