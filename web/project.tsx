import { useRef } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { FieldSelect, ThresholdSlider } from './controls.tsx'
import { frame } from './frame.ts'
import { useAnswer, useFields, useLoaded, useUrlState } from './loading.ts'
import { FilterAside } from './project/facets.tsx'
import { requestFor } from './project/requests.ts'
import { loadFound, Results, SourceTexts } from './project/results.tsx'
import { type Asker, SearchForm, useConfirmedWords } from './project/search-form.tsx'
import { firstPage, printView, readView } from './project/view.ts'
import { ProjectFrame } from './project-frame.tsx'

type Statistics = Schemas['ProjectStatistics']

export const ProjectPage = () => (
  <ProjectFrame
    isForTexts
    show={(project, { isMember }) => (
      <>
        {project?.description && (
          <p class="description" tabindex={0}>
            {project.description}
          </p>
        )}
        {/* Rendered hidden, so that it loads the texts while the project is loading. */}
        <div hidden={project === undefined}>
          <Browser {...{ project, isMember }} />
        </div>
      </>
    )}
  />
)

/** Searches, filters and pages through the texts of a project. Every state has a URL. */
function Browser({ project, isMember }: Asker) {
  const [view, go] = useUrlState(readView, printView)
  const { sought, threshold, groupBy } = view
  const request = requestFor(view, frame.name)
  const { question, confirm } = useConfirmedWords(view)
  const of = question === undefined ? JSON.stringify(request) : undefined
  const found = useLoaded(of, (signal) => loadFound(request, signal))
  // Listing the fields scans many texts, so the texts themselves are loaded first.
  const hasFound = useRef(false)
  hasFound.current ||= !found.isLoading
  const fields = useFields(hasFound.current)
  const isScaled = hasFound.current && sought !== undefined && sought.by !== 'words'
  const statistics = `v1/projects/${frame.name}/statistics`
  const { value } = useAnswer<Statistics>(isScaled ? statistics : undefined, statistics)
  const search = (next: typeof view) => {
    confirm(next)
    go(next)
  }
  return (
    <div class="browser">
      <div class="above">
        <SearchForm {...{ view, project, isMember }} go={search} />
        {sought !== undefined && (
          <div class="options">
            {sought.by !== 'words' && (
              <ThresholdSlider
                threshold={threshold}
                min={0}
                step={0.01}
                chance={value?.scale?.random_pairs['p99']}
                choose={(least) => go(firstPage({ ...view, threshold: least }))}
              />
            )}
            <FieldSelect
              id="group-by"
              label="Group by"
              none="nothing"
              path={groupBy}
              paths={fields.paths}
              choose={(path) => go(firstPage({ ...view, groupBy: path }))}
            />
          </div>
        )}
      </div>
      <FilterAside fields={fields} {...{ view, go }} />
      <div class="found">
        <SourceTexts view={view} />
        {question ?? <Results {...{ found, view, go }} />}
      </div>
    </div>
  )
}
