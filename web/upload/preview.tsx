import { counted, Options, shortened, typedIn } from '../elements.tsx'
import type { FileRecord } from './file-records.ts'
import { isRole, type Mapping, mapColumn, numberedId, roles } from './mapping.ts'

const shownRows = 5
const shownCharacters = 80

interface Props {
  readonly fileName: string
  readonly sample: readonly FileRecord[]
  readonly mapping: Mapping
  readonly change: (mapping: Mapping) => void
}

/** The first rows of a file, and what each column is for. */
export function Preview({ fileName, sample, mapping, change }: Props) {
  const isNumbered = mapping.every(({ role }) => role !== 'text_id')
  const rows = sample.slice(0, shownRows)
  return (
    <section class="preview" aria-label="The first rows of the file">
      <table>
        <thead>
          <tr>
            {isNumbered && <th scope="col">text_id: the rows are numbered</th>}
            {mapping.map(({ name, columns, role }, at) => (
              <th key={name} scope="col">
                <label for={`column-${at}`}>{name}</label>
                <select
                  id={`column-${at}`}
                  onChange={(event: Event) => {
                    const chosen = typedIn(event)
                    if (isRole(chosen)) change(mapColumn(mapping, name, chosen))
                  }}
                >
                  <Options of={optionsFor(columns)} chosen={role} />
                </select>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((record, at) => (
            <tr key={record.place}>
              {isNumbered && <td>{numberedId(fileName, at + 1)}</td>}
              {'problem' in record ? (
                <td colSpan={mapping.length}>{record.problem}</td>
              ) : (
                mapping.map(({ name, columns, role }) => (
                  <td key={name} class={role === 'none' ? 'soft' : undefined}>
                    {columns.length > 1
                      ? counted(columns.length, 'number')
                      : shown(record.values.get(name))}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** What columns can be that belong together. */
const groupRoles = ['vector', 'metadata', 'none']

const optionsFor = (columns: readonly string[]) =>
  Object.entries(roles).filter(([role]) => columns.length === 1 || groupRoles.includes(role))

function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  const list = ArrayBuffer.isView(value) ? Object.values(value) : value
  if (Array.isArray(list) && list.length > 3 && list.every(Number.isFinite))
    return counted(list.length, 'number')
  const text = typeof value === 'object' ? JSON.stringify(value, plainly) : String(value)
  return shortened(text, shownCharacters)
}

const plainly = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
