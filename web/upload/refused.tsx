import { csvOf } from '../csv.ts'
import { Button, Notice } from '../elements.tsx'
import { saveAs } from '../save.ts'
import { type Column, Table } from '../table.tsx'
import type { RefusedRow } from './check.ts'

const shownRows = 20

const columns: readonly Column<RefusedRow>[] = [
  { title: 'Reason', show: ({ reason }) => reason },
  { title: 'Row', show: ({ place }) => place },
  { title: 'text_id', show: ({ id }) => id },
]

/** Rows that are not uploaded, each with its reason; one reason of many is told once. */
export function Refused({ rows }: { readonly rows: readonly RefusedRow[] }) {
  const [first] = rows
  if (first === undefined) return null
  const lines = rows.map(({ place, id, reason }) => [place, id, reason])
  const save = () => saveAs('refused', 'csv', csvOf(['row', 'text_id', 'reason'], lines))
  const isOne = rows.length > 3 && rows.every(({ reason }) => reason === first.reason)
  return (
    <>
      {isOne && (
        <Notice kind="error">
          The reason is the same for all of them, beginning with {first.place}: {first.reason}.
        </Notice>
      )}
      {!isOne && (
        <Table
          label="Refused rows"
          columns={columns}
          rows={rows.slice(0, shownRows)}
          keyOf={({ place }) => place}
        />
      )}
      <p>
        {!isOne && rows.length > shownRows && `The first ${shownRows} are shown. `}
        <Button kind="quiet" icon="download" act={save}>
          Save the list as CSV
        </Button>
      </p>
    </>
  )
}
