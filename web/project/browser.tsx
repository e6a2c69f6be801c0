import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { FieldSelect, PrefixInput, ThresholdSlider } from '../controls.tsx'
import { Button, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'
import { useFields, useLoaded, useUrlState } from '../loading.ts'
import { Facets } from './facets.tsx'
import { requestFor } from './requests.ts'
import { loadFound, Results, SourceText } from './results.tsx'
import { SearchForm } from './search-form.tsx'
import { firstPage, type Navigation, printView, readView, type View } from './view.ts'

interface Props {
  /** Undefined while the project is loading; the texts load meanwhile. */
  readonly project: Schemas['Project'] | undefined
}

/** Searches, filters and pages through the texts of a project. Every state has a URL. */
export function Browser({ project }: Props) {
  const [view, go] = useUrlState(readView, printView)
  const request = requestFor(view, frame.name)
  // Anyone can craft a link, and asking the provider for the meaning of words costs the owner money.
  // So words from the URL are not sent there before the user has confirmed them.
  const [wanted, want] = useState<readonly string[]>([])
  const words = wordsToEmbed(view)
  const isWanted = words === '' || wanted.includes(words)
  const found = useLoaded(isWanted ? JSON.stringify(request) : '', (signal) =>
    isWanted ? loadFound(request, signal) : undefined,
  )
  // Read once: later the user opens and closes it, and resizing the window changes nothing.
  const [isWide] = useState(() => matchMedia('(min-width: 56rem)').matches)
  const wantWords = (more: string) => want((before) => [...before, more])
  const [hasFound, find] = useState(false)
  useEffect(() => {
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
            wantWords(wordsToEmbed(next))
            go(next)
          }}
        />
        {view.sought !== undefined && <Options view={view} paths={fields.paths} go={go} />}
      </div>
      <details class="aside" open={isWide}>
        <summary>Filter</summary>
        <aside aria-label="Filter">
          <div class="prefix">
            <PrefixInput
              prefix={view.prefix}
              choose={(prefix) => go(firstPage({ ...view, prefix }))}
            />
          </div>
          {fields.value !== undefined && <Facets fields={fields.value} view={view} go={go} />}
          {fields.value === undefined && fields.refusal === undefined && (
            <p class="soft">Counting values…</p>
          )}
          <RefusalNote refusal={fields.refusal} />
        </aside>
      </details>
      <div class="found">
        {view.sought?.by === 'text_id' && (
          <SourceText textId={view.sought.textId} view={view} go={go} />
        )}
        {isWanted ? (
          <Results found={found} view={view} go={go} />
        ) : (
          <AsksFirst words={words} search={() => wantWords(words)} />
        )}
      </div>
    </div>
  )
}

/** @returns why words are not searched for by meaning; undefined if they are */
function whyNoMeaning(project: Props['project']): string | undefined {
  if (project?.embeds_texts === false) return 'no provider'
  return project?.text_queries === 'off' ? 'switched off' : undefined
}

const wordsToEmbed = ({ sought }: View) =>
  sought?.by === 'meaning' || sought?.by === 'both' ? sought.words : ''

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

interface AsksFirstProps {
  readonly words: string
  readonly search: () => void
}

const AsksFirst = ({ words, search }: AsksFirstProps) => (
  <section class="panel" aria-label="Search by meaning">
    <h2>Search for these words?</h2>
    <p class="clamped">{words}</p>
    <p>
      This search sends the words to the project's embedding provider. It counts towards the
      project's budget and may cost its owner money. Nothing has been sent yet.
    </p>
    <div class="buttons">
      <Button kind="primary" act={search}>
        Search for the words
      </Button>
    </div>
  </section>
)
