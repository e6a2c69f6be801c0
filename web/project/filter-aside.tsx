import { PrefixInput } from '../controls.tsx'
import { RefusalNote } from '../elements.tsx'
import type { useFields } from '../loading.ts'
import { Facets } from './facets.tsx'
import { firstPage, type Navigation } from './view.ts'

interface Props extends Navigation {
  readonly fields: ReturnType<typeof useFields>
  readonly isOpen: boolean
}

/** Chooses by the beginning of the text_id and by the values of metadata fields. */
export const FilterAside = ({ fields: { value, refusal }, isOpen, view, go }: Props) => (
  <details class="aside" open={isOpen}>
    <summary>Filter</summary>
    <aside aria-label="Filter">
      <div class="prefix">
        <PrefixInput prefix={view.prefix} choose={(prefix) => go(firstPage({ ...view, prefix }))} />
      </div>
      {value !== undefined && <Facets fields={value} view={view} go={go} />}
      {value === undefined && refusal === undefined && <p class="soft">Counting values…</p>}
      <RefusalNote refusal={refusal} />
    </aside>
  </details>
)
