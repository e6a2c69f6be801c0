import { useMemo } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { AboutProject } from './about-project.tsx'
import { call } from './call.ts'
import { useComparison } from './duplicates/comparison.ts'
import { Controls } from './duplicates/controls.tsx'
import {
  type DuplicatesView,
  pairsAbove,
  printDuplicatesView,
  readDuplicatesView,
} from './duplicates/duplicates-view.ts'
import { GroupList, membersShown, PairList } from './duplicates/lists.tsx'
import {
  connectedGroups,
  type Pair,
  pairsAsCsv,
  pairsAsNdjson,
  type TextGroup,
} from './duplicates/pairs.ts'
import { Summary } from './duplicates/summary.tsx'
import { RefusalNote, StateLink, saveAs } from './elements.tsx'
import { useLoaded, useUrlState } from './loading.ts'
import { pathsFor } from './project/requests.ts'

export const DuplicatesPage = () => (
  <AboutProject
    title="Near-duplicates in"
    show={(name, caller) => <DuplicatesBrowser key={caller} name={name} caller={caller} />}
  />
)

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
function DuplicatesBrowser({ name, caller }: Props) {
  const [view, go] = useUrlState(({ search }) => readDuplicatesView(search), printDuplicatesView)
  const comparison = useComparison(name, view, caller)
  const { found, refusal, progress } = comparison
  const soFar = (found ?? progress).pairs
  const pairs = useMemo(() => pairsAbove(soFar, view), [soFar, view.threshold])
  const groups = useMemo(() => connectedGroups(pairs), [pairs])
  return (
    <>
      <Controls name={name} view={view} go={go} />
      {refusal !== undefined && (
        <div class="panel">
          <RefusalNote refusal={refusal} />
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
        <PairList name={name} pairs={shownPairs} texts={texts} />
      ) : (
        <GroupList name={name} groups={shownGroups} texts={texts} />
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

/**
 * Loads the stored texts of these text_ids. The map has no entry for a text_id without a stored
 * text.
 */
async function loadTexts(
  project: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const path of pathsFor(project, ids)) {
    const { data } = await call<Schemas['EmbeddingList']>(path, { signal })
    for (const { text_id: id, text } of data.embeddings) {
      if (text !== undefined) texts.set(id, text)
    }
  }
  return texts
}
