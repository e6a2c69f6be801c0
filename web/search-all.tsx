import type { Schemas } from '../clients/typescript/src/client.ts'
import { call } from './call.ts'
import { Button, Empty, LoadNote } from './elements.tsx'
import { frame } from './frame.ts'
import { TextLink } from './links.tsx'
import { useLoaded, useUrlState } from './loading.ts'
import { Marked } from './project/rows.tsx'

/** One search takes so many. */
const maxProjects = 20

/**
 * Finds words in the texts of several projects.
 * @param projects each as owner/handle; none while they are loading
 */
export function SearchAll({ projects }: { readonly projects: readonly string[] }) {
  const [{ words }, go] = useUrlState(
    ({ search }) => ({ words: new URLSearchParams(search).get('words') ?? '' }),
    (next) => (next.words === '' ? '?' : `?${new URLSearchParams(next)}`),
  )
  const searched = projects.slice(0, maxProjects)
  const isAsked = words !== '' && searched.length > 0
  const found = useLoaded(isAsked ? JSON.stringify([words, searched]) : undefined, (signal) => {
    const body = { projects: searched, words, limit: 20, include: ['text', 'highlights'] }
    return call<Schemas['SearchOfSeveralAnswer']>('v1/similars', { body, signal })
  })
  const search = (event: Event) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    go({ words: `${new FormData(event.currentTarget).get('words') ?? ''}`.trim() })
  }
  const results = found.value?.data.results
  return (
    <search>
      <form class="search" onSubmit={search}>
        <input
          name="words"
          type="search"
          value={words}
          aria-label="Words to find in all of these projects"
          placeholder="Find words in all projects"
        />
        <Button icon="search">Search</Button>
      </form>
      {isAsked && <LoadNote of={found} />}
      {isAsked && projects.length > maxProjects && (
        <p class="soft">
          Searched the first {maxProjects} of {projects.length} projects.
        </p>
      )}
      {results?.length === 0 && <Empty title="Nothing matches" icon="search" />}
      {results && results.length > 0 && (
        <ol class="rows" aria-label="Texts">
          {results.map(({ id, project = '', ...row }) => (
            <li key={`${project} ${id}`} class="row">
              <div class="about">
                <TextLink textId={id} project={project} />
                <a href={`${frame.base}explore/${project}`}>{project}</a>
              </div>
              <p class="text">
                <Marked {...row} />
              </p>
            </li>
          ))}
        </ol>
      )}
    </search>
  )
}
