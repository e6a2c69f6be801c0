import { useMemo } from 'hono/jsx/dom'
import { useComparison } from './duplicates/comparison.ts'
import { Controls } from './duplicates/controls.tsx'
import {
  type DuplicatesView,
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
import { Button, RefusalNote } from './elements.tsx'
import { StateLink } from './links.tsx'
import { useLoaded, useUrlState } from './loading.ts'
import { loadTexts } from './project/texts.ts'
import { ProjectFrame } from './project-frame.tsx'
import { saveAs } from './save.ts'

export const DuplicatesPage = () => (
  <ProjectFrame
    isForTexts
    show={(project, caller) =>
      project !== undefined && <DuplicatesBrowser key={caller} caller={caller} />
    }
  />
)

const pairsPerPage = 20
const groupsPerPage = 10

/** Shows pairs and groups. The server compares, the browser keeps the result. */
function DuplicatesBrowser({ caller }: { readonly caller: string }) {
  const [view, go] = useUrlState(({ search }) => readDuplicatesView(search), printDuplicatesView)
  const comparison = useComparison(view, caller)
  const { found, refusal, progress } = comparison
  const soFar = (found ?? progress).pairs
  const pairs = useMemo(() => pairsAbove(soFar, view), [soFar, view.threshold])
  const groups = useMemo(() => connectedGroups(pairs), [pairs])
  return (
    <>
      <Controls view={view} go={go} />
      {refusal !== undefined && (
        <div class="panel">
          <RefusalNote refusal={refusal} />
          <p>
            <Button act={comparison.again}>Try again</Button>
          </p>
        </div>
      )}
      {refusal === undefined && (
        <section aria-label="Near-duplicates" aria-busy={found === undefined ? 'true' : 'false'}>
          <Summary comparison={comparison} pairs={pairs.length} groups={groups.length} />
          {pairs.length > 0 && (
            <>
              {found !== undefined && <Tools view={view} go={go} pairs={pairs} groups={groups} />}
              <Found view={view} go={go} pairs={pairs} groups={groups} />
            </>
          )}
        </section>
      )}
    </>
  )
}

interface FoundProps {
  readonly view: DuplicatesView
  readonly go: (view: DuplicatesView) => void
  readonly pairs: readonly Pair[]
  readonly groups: readonly TextGroup[]
}

function Tools({ view, go, pairs, groups }: FoundProps) {
  return (
    <div class="tools">
      {(['pairs', 'groups'] as const).map((shows) => (
        <Button
          key={shows}
          isPressed={view.shows === shows}
          act={() => go({ ...view, shows, page: 1 })}
        >
          {shows === 'pairs' ? 'Pairs' : 'Groups'}
        </Button>
      ))}
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

function Found({ view, go, pairs, groups }: FoundProps) {
  const [all, size] =
    view.shows === 'pairs' ? [pairs.length, pairsPerPage] : [groups.length, groupsPerPage]
  const pages = Math.max(1, Math.ceil(all / size))
  const page = Math.min(view.page, pages)
  const from = (page - 1) * size
  const shownPairs = view.shows === 'pairs' ? pairs.slice(from, from + size) : []
  const shownGroups = view.shows === 'groups' ? groups.slice(from, from + size) : []
  const ids = [
    ...shownPairs.flatMap(({ id, neighbour }) => [id, neighbour]),
    ...shownGroups.flatMap((group) => group.ids.slice(0, membersShown)),
  ]
  const of = JSON.stringify(ids)
  const loaded = useLoaded(of, (signal) => loadTexts(ids, signal).then((texts) => ({ of, texts })))
  // The texts loaded before belong to other text_ids.
  const texts = loaded.value?.of === of ? loaded.value.texts : undefined
  const link = (words: string, to: number) => {
    const next = { ...view, page: to }
    return (
      <StateLink href={printDuplicatesView(next)} follow={() => go(next)}>
        {words}
      </StateLink>
    )
  }
  return (
    <>
      <RefusalNote refusal={loaded.refusal} />
      {view.shows === 'pairs' ? (
        <PairList pairs={shownPairs} texts={texts} />
      ) : (
        shownGroups.map((group) => (
          <GroupSection key={group.ids[0] ?? ''} group={group} texts={texts} />
        ))
      )}
      <nav class="pages" aria-label="Pages">
        {page > 1 && link('Previous page', page - 1)}
        <span class="soft">
          Page {page} of {pages.toLocaleString('en-US')}
        </span>
        {page < pages && link('Next page', page + 1)}
      </nav>
    </>
  )
}
