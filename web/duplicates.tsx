import { useMemo } from 'hono/jsx/dom'
import { FieldSelect, ThresholdSlider } from './controls.tsx'
import { useComparison } from './duplicates/comparison.ts'
import {
  type DuplicatesView,
  leastThreshold,
  pairsAbove,
  printDuplicatesView,
  readDuplicatesView,
} from './duplicates/duplicates-view.ts'
import { GroupSection, membersShown, PairList } from './duplicates/lists.tsx'
import {
  connectedGroups,
  type Pair,
  pairsAsCsv,
  pairsAsNdjson,
  type TextGroup,
} from './duplicates/pairs.ts'
import { Summary } from './duplicates/summary.tsx'
import { Button, printNumber, RefusalNote } from './elements.tsx'
import { useFields, useLoaded, useUrlState } from './loading.ts'
import { FilterAside } from './project/facets.tsx'
import { loadTexts } from './project/texts.ts'
import { framed } from './project-frame.tsx'
import { saveAs } from './save.ts'

const pairsPerPage = 20
const groupsPerPage = 10

/** Shows pairs and groups. The server compares, the browser keeps the result. */
function DuplicatesBrowser() {
  const [view, go] = useUrlState(({ search }) => readDuplicatesView(search), printDuplicatesView)
  const comparison = useComparison(view)
  const { isRunning, found, refusal } = comparison
  const pairs = useMemo(() => pairsAbove(found.pairs, view), [found.pairs, view.threshold])
  const groups = useMemo(() => connectedGroups(pairs), [pairs])
  const fields = useFields()
  const change = (part: Partial<DuplicatesView>) => go({ ...view, ...part, page: 1 })
  return (
    <div class="browser">
      <div class="above options">
        <ThresholdSlider
          threshold={view.threshold}
          min={leastThreshold}
          step={0.005}
          choose={(threshold) => change({ threshold })}
        />
        <FieldSelect
          id="different"
          label="Only across"
          none="no field"
          path={view.different}
          paths={fields.paths}
          choose={(different) => change({ different })}
        />
      </div>
      <FilterAside fields={fields} view={view} go={change} />
      <div class="found">
        {refusal === undefined ? (
          <section aria-label="Near-duplicates" aria-busy={isRunning ? 'true' : 'false'}>
            <Summary comparison={comparison} pairs={pairs.length} groups={groups.length} />
            {pairs.length > 0 && !isRunning && <Tools {...{ view, go, pairs, groups }} />}
            {pairs.length > 0 && <Found {...{ view, pairs, groups }} />}
          </section>
        ) : (
          <>
            <RefusalNote refusal={refusal} />
            <div class="buttons">
              <Button act={comparison.again}>Try again</Button>
            </div>
          </>
        )}
      </div>
    </div>
  )
}

export const DuplicatesPage = framed(DuplicatesBrowser, { isForTexts: true })

interface FoundProps {
  readonly view: DuplicatesView
  readonly go: (view: DuplicatesView) => void
  readonly pairs: readonly Pair[]
  readonly groups: readonly TextGroup[]
}

function Tools({ view, go, pairs, groups }: FoundProps) {
  const choice = (shows: DuplicatesView['shows'], words: string) => (
    <Button isPressed={view.shows === shows} act={() => go({ ...view, shows, page: 1 })}>
      {words}
    </Button>
  )
  return (
    <div class="tools">
      {choice('pairs', 'Pairs')}
      {choice('groups', 'Groups')}
      <span class="gap" />
      <Button act={() => saveAs('near-duplicates', 'csv', pairsAsCsv(pairs, groups))}>
        Save as CSV
      </Button>
      <Button act={() => saveAs('near-duplicates', 'ndjson', pairsAsNdjson(pairs, groups))}>
        Save as NDJSON
      </Button>
    </div>
  )
}

function Found({ view, pairs, groups }: Omit<FoundProps, 'go'>) {
  const showsPairs = view.shows === 'pairs'
  const [all, size] = showsPairs ? [pairs.length, pairsPerPage] : [groups.length, groupsPerPage]
  const pages = Math.max(1, Math.ceil(all / size))
  const page = Math.min(view.page, pages)
  const [from, to] = [(page - 1) * size, page * size]
  const shownPairs = showsPairs ? pairs.slice(from, to) : []
  const shownGroups = showsPairs ? [] : groups.slice(from, to)
  const ids = [
    ...shownPairs.flatMap(({ id, neighbour }) => [id, neighbour]),
    ...shownGroups.flatMap((group) => group.ids.slice(0, membersShown)),
  ]
  const of = JSON.stringify(ids)
  const loaded = useLoaded(of, (signal) => loadTexts(ids, signal).then((texts) => ({ of, texts })))
  // The texts loaded before belong to other text_ids.
  const texts = loaded.value?.of === of ? loaded.value.texts : undefined
  const link = (words: string, to: number) => (
    <a href={printDuplicatesView({ ...view, page: to })}>{words}</a>
  )
  return (
    <>
      <RefusalNote refusal={loaded.refusal} />
      {showsPairs && <PairList pairs={shownPairs} texts={texts} />}
      {shownGroups.map((group) => (
        <GroupSection key={group.ids[0] ?? ''} group={group} texts={texts} />
      ))}
      <nav class="pages" aria-label="Pages">
        {page > 1 && link('Previous page', page - 1)}
        <span class="soft">
          Page {page} of {printNumber(pages)}
        </span>
        {page < pages && link('Next page', page + 1)}
      </nav>
    </>
  )
}
