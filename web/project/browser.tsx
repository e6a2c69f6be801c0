import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { useLoaded } from '../use-loaded.ts'
import { AsksFirst } from './asks-first.tsx'
import { Facets } from './facets.tsx'
import { loadFound } from './found-texts.ts'
import { OptionsForm, PrefixForm } from './options.tsx'
import { percentEncoded, requestFor } from './requests.ts'
import { Results } from './results.tsx'
import { SearchForm } from './search-form.tsx'
import { printView, readView, type View } from './view.ts'

type Fields = Schemas['ProjectFields']
type Project = Schemas['Project']

interface Props {
  /** `owner/handle` */
  readonly name: string
  /** Undefined while the project is loading; the texts load meanwhile. */
  readonly project: Project | undefined
}

/** Searches, filters and pages through the texts of a project. Every state has a URL. */
export function Browser({ name, project }: Props) {
  const [view, go] = useView()
  const request = requestFor(view, name)
  // Anyone can craft a link, and searching for words costs the owner money. So words from the URL
  // are not sent before the user has confirmed them.
  const [wanted, want] = useState<readonly string[]>([])
  const words = wordsOf(view)
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
  const fields = useLoaded<Fields>(`${hasFound}`, (signal) =>
    hasFound
      ? call<Fields>(`v1/projects/${name}/fields`, { signal }).then(({ data }) => data)
      : undefined,
  )
  const paths = fields.value?.fields.flatMap(({ path, values }) => (values.length > 0 ? path : []))
  return (
    <div class="browser">
      <div class="above">
        <SearchForm
          view={view}
          hasWords={project !== undefined && project.text_queries !== 'off'}
          dimensions={project?.dimensions}
          suggest={(typed) => textIdsWith(name, typed)}
          go={(next) => {
            wantWords(wordsOf(next))
            go(next)
          }}
        />
        {view.sought !== undefined && <OptionsForm view={view} paths={paths ?? []} go={go} />}
      </div>
      <details class="aside" open={isWide}>
        <summary>Filter</summary>
        <aside aria-label="Filter">
          <PrefixForm view={view} go={go} />
          {fields.value !== undefined && <Facets fields={fields.value} view={view} go={go} />}
          {fields.value === undefined && fields.refusal === undefined && (
            <p class="soft">Counting values…</p>
          )}
          {fields.refusal !== undefined && <p class="refusal">{fields.refusal.message}</p>}
        </aside>
      </details>
      <div class="found">
        {isWanted ? (
          <Results name={name} found={found} view={view} go={go} />
        ) : (
          <AsksFirst words={words} search={() => wantWords(words)} />
        )}
      </div>
    </div>
  )
}

const wordsOf = ({ sought }: View) => (sought?.by === 'words' ? sought.words : '')

/** Keeps the view in the URL, so that the browser's back button returns to the previous view. */
function useView(): [View, (view: View) => void] {
  const [view, show] = useState(() => readView(location))
  useEffect(() => {
    const read = () => show(readView(location))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [])
  const go = (next: View) => {
    const url = printView(next)
    history.pushState(null, '', url === '?' ? location.pathname : url)
    show(next)
  }
  return [view, go]
}

const suggestions = 8

/**
 * text_ids are sorted, so those with the prefix follow it: this reads only a few in a project of
 * any size.
 */
async function textIdsWith(name: string, typed: string): Promise<string[]> {
  const query = `limit=${suggestions}&include=&after=${percentEncoded(typed)}`
  const { data } = await call<{ embeddings: { text_id: string }[] }>(
    `v1/embeddings/${name}?${query}`,
  )
  return data.embeddings.map(({ text_id: textId }) => textId).filter((id) => id.startsWith(typed))
}
