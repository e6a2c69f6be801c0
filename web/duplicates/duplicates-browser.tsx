import { useEffect, useMemo, useState } from 'hono/jsx/dom'
import { saveAs } from '../download.ts'
import { useLoaded } from '../use-loaded.ts'
import { Controls } from './controls.tsx'
import { DuplicatesLink } from './duplicates-link.tsx'
import {
  type DuplicatesView,
  pairsAbove,
  printDuplicatesView,
  readDuplicatesView,
} from './duplicates-view.ts'
import { GroupList, membersShown } from './group-list.tsx'
import { connectedGroups, type TextGroup } from './groups.ts'
import { loadTexts } from './load-texts.ts'
import type { Pair } from './pair-collector.ts'
import { PairList } from './pair-list.tsx'
import { pairsAsCsv, pairsAsNdjson } from './printed-pairs.ts'
import { Summary } from './summary.tsx'
import { useDuplicates } from './use-duplicates.ts'

interface Props {
  /** `owner/handle` */
  readonly name: string
  /** Changes with each key. */
  readonly caller: string
}

const pairsPerPage = 20
const groupsPerPage = 10

/**
 * Shows the pairs and groups of a project. The server compares; the browser keeps the result. Every
 * state has a URL.
 */
export function DuplicatesBrowser({ name, caller }: Props) {
  const [view, go] = useDuplicatesView()
  const comparison = useDuplicates(name, view, caller)
  const { found, refusal, progress } = comparison
  const soFar = (found ?? progress).pairs
  const pairs = useMemo(() => pairsAbove(soFar, view), [soFar, view.threshold])
  const groups = useMemo(() => connectedGroups(pairs), [pairs])
  return (
    <>
      <Controls name={name} view={view} go={go} />
      {refusal !== undefined && (
        <div class="panel">
          <p class="refusal" role="alert">
            {refusal.message}
          </p>
          <p>
            <button type="button" onClick={comparison.again}>
              Try again
            </button>
          </p>
        </div>
      )}
      {refusal === undefined && (
        <section aria-label="Near-duplicates" aria-busy={found === undefined ? 'true' : 'false'}>
          <Summary comparison={comparison} pairs={pairs.length} groups={groups.length} />
          {pairs.length > 0 && (
            <>
              {found !== undefined && (
                <Tools name={name} view={view} go={go} pairs={pairs} groups={groups} />
              )}
              <Found name={name} view={view} go={go} pairs={pairs} groups={groups} />
            </>
          )}
        </section>
      )}
    </>
  )
}

/** Keeps the view in the URL, so that the browser's back button returns to the previous view. */
function useDuplicatesView(): [DuplicatesView, (view: DuplicatesView) => void] {
  const [view, show] = useState(() => readDuplicatesView(location.search))
  useEffect(() => {
    const read = () => show(readDuplicatesView(location.search))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [])
  const go = (next: DuplicatesView) => {
    const url = printDuplicatesView(next)
    history.pushState(null, '', url === '?' ? location.pathname : url)
    show(next)
  }
  return [view, go]
}

interface FoundProps {
  readonly name: string
  readonly view: DuplicatesView
  readonly go: (view: DuplicatesView) => void
  readonly pairs: readonly Pair[]
  readonly groups: readonly TextGroup[]
}

/** Switches between pairs and groups, and saves all pairs as a file. */
function Tools({ name, view, go, pairs, groups }: FoundProps) {
  const file = `${name.replace('/', '-')}-near-duplicates`
  return (
    <div class="tools">
      {(['pairs', 'groups'] as const).map((shows) => (
        <button
          key={shows}
          type="button"
          aria-pressed={view.shows === shows ? 'true' : 'false'}
          onClick={() => go({ ...view, shows, page: 1 })}
        >
          {shows === 'pairs' ? 'Pairs' : 'Groups'}
        </button>
      ))}
      <span class="gap" />
      <button
        type="button"
        onClick={() => saveAs(`${file}.csv`, 'text/csv', pairsAsCsv(pairs, groups))}
      >
        Save as CSV
      </button>
      <button
        type="button"
        onClick={() =>
          saveAs(`${file}.ndjson`, 'application/x-ndjson', pairsAsNdjson(pairs, groups))
        }
      >
        Save as NDJSON
      </button>
    </div>
  )
}

/** Shows one page of pairs or groups, and loads only the texts of this page. */
function Found({ name, view, go, pairs, groups }: FoundProps) {
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
  const loaded = useLoaded(of, (signal) =>
    loadTexts(name, ids, signal).then((texts) => ({ of, texts })),
  )
  // The texts loaded before belong to other text_ids.
  const texts = loaded.value?.of === of ? loaded.value.texts : undefined
  return (
    <>
      {loaded.refusal !== undefined && (
        <p class="refusal" role="alert">
          {loaded.refusal.message}
        </p>
      )}
      {view.shows === 'pairs' ? (
        <PairList name={name} pairs={shownPairs} texts={texts} />
      ) : (
        <GroupList name={name} groups={shownGroups} texts={texts} />
      )}
      <nav class="pages" aria-label="Pages">
        {page > 1 && (
          <DuplicatesLink to={{ ...view, page: page - 1 }} go={go}>
            Previous page
          </DuplicatesLink>
        )}
        <span class="soft">
          Page {page} of {pages.toLocaleString('en-US')}
        </span>
        {page < pages && (
          <DuplicatesLink to={{ ...view, page: page + 1 }} go={go}>
            Next page
          </DuplicatesLink>
        )}
      </nav>
    </>
  )
}
