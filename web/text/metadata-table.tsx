import { isJsonObject } from '../json-object.ts'

type Metadata = Readonly<Record<string, unknown>>

/** The values by their paths, such as `ref.book`; lists stay whole. */
function valuesOf(metadata: Metadata, above = ''): [path: string, value: unknown][] {
  return Object.entries(metadata).flatMap(([key, value]): [string, unknown][] => {
    const path = above === '' ? key : `${above}.${key}`
    const isNested = isJsonObject(value) && Object.keys(value).length > 0
    return isNested ? valuesOf(value, path) : [[path, value]]
  })
}

const printed = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

export function MetadataTable({ of }: { readonly of: Metadata }) {
  const values = valuesOf(of)
  if (values.length === 0) return null
  return (
    <table class="table details" aria-label="Metadata">
      <tbody>
        {values.map(([path, value], index) => (
          <tr key={`${index}`}>
            <th scope="row">{path}</th>
            <td>{Array.isArray(value) ? value.map(printed).join(', ') : printed(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
