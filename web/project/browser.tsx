import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { FieldSelect, ThresholdSlider } from '../controls.tsx'
import { frame } from '../frame.ts'
import { useFields, useLoaded, useUrlState } from '../loading.ts'
import { FilterAside } from './filter-aside.tsx'
import { AsksFirst, useConfirmedWords, whyNoMeaning } from './meaning.tsx'
import { requestFor } from './requests.ts'
import { loadFound, Results, SourceText } from './results.tsx'
import { SearchForm } from './search-form.tsx'
import { firstPage, type Navigation, printView, readView } from './view.ts'

interface Props {
  /** Undefined while the project is loading; the texts load meanwhile. */
  readonly project: Schemas['Project'] | undefined
}

/** Searches, filters and pages through the texts of a project. Every state has a URL. */
export function Browser({ project }: Props) {
  const [view, go] = useUrlState(readView, printView)
  const request = requestFor(view, frame.name)
  const { words, isConfirmed, confirm } = useConfirmedWords(view)
  const of = isConfirmed ? JSON.stringify(request) : undefined
  const found = useLoaded(of, (signal) => loadFound(request, signal))
  // Read once: later the user opens and closes it, and resizing the window changes nothing.
  const [isWide] = useState(() => matchMedia('(min-width: 56rem)').matches)
  const [hasFound, find] = useState(false)
  useLayoutEffect(() => {
    if (!found.isLoading) find(true)
  }, [found.isLoading])
  // Listing the fields scans many texts, so the texts themselves are loaded first.
  const fields = useFields(hasFound)
  return (
    <div class="browser">
      <div class="above">
        <SearchForm
          view={view}
          noMeaning={whyNoMeaning(project)}
          dimensions={project?.dimensions}
          go={(next) => {
            confirm(next)
            go(next)
          }}
        />
        {view.sought !== undefined && <Options view={view} paths={fields.paths} go={go} />}
      </div>
      <FilterAside fields={fields} isOpen={isWide} view={view} go={go} />
      <div class="found">
        {view.sought?.by === 'text_id' && (
          <SourceText textId={view.sought.textId} view={view} go={go} />
        )}
        {isConfirmed ? (
          <Results found={found} view={view} go={go} />
        ) : (
          <AsksFirst words={words} search={() => confirm(view)} />
        )}
      </div>
    </div>
  )
}

interface OptionsProps extends Navigation {
  readonly paths: readonly string[]
}

const Options = ({ view, paths, go }: OptionsProps) => (
  <div class="options">
    {view.sought?.by !== 'words' && (
      <ThresholdSlider
        threshold={view.threshold}
        min={0}
        step={0.01}
        choose={(threshold) => go(firstPage({ ...view, threshold }))}
      />
    )}
    <span>
      <FieldSelect
        id="group-by"
        label="Group by"
        none="nothing"
        path={view.groupBy}
        paths={paths}
        choose={(groupBy) => go(firstPage({ ...view, groupBy }))}
      />
    </span>
  </div>
)
