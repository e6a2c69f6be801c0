import { useState } from 'hono/jsx/dom'
import type { components } from '../../../client/api.ts'
import { call } from '../call.ts'
import { typedIn } from '../project/search-form.tsx'
import { useLoaded } from '../use-loaded.ts'
import { SetScheme } from './set-scheme.tsx'
import { TrialResult } from './trial-result.tsx'

type Project = components['schemas']['Project']
type Trial = components['schemas']['MetadataSchemeTrialAnswer']

interface Props {
  /** `owner/handle` */
  readonly name: string
  readonly project: Project
}

interface Tried {
  readonly scheme: string
  readonly trial: Trial
}

interface Attempt {
  readonly scheme: string
  readonly number: number
}

/** A schema is written, tried on what is stored, and only then set. */
export function SchemeEditor({ name, project }: Props) {
  const [present, setPresent] = useState(readable(project.metadataScheme ?? ''))
  const [draft, write] = useState(present)
  const [attempt, attemptWith] = useState<Attempt>({ scheme: '', number: 0 })
  const { value, refusal, isLoading } = useLoaded<Tried>(JSON.stringify(attempt), (signal) => {
    if (attempt.scheme === '') return undefined
    const body = { metadataScheme: attempt.scheme }
    return call<Trial>(`v1/projects/${name}/try-metadata-scheme`, { body, signal }).then(
      ({ data }) => ({ scheme: attempt.scheme, trial: data }),
    )
  })
  const isEmpty = draft.trim() === ''
  const tryWith = (scheme: string) => attemptWith(({ number }) => ({ scheme, number: number + 1 }))
  // What is shown is of the text in the box, or nothing is.
  const isOfDraft = attempt.scheme === draft && !isEmpty
  const isTrying = isLoading && isOfDraft
  const trial = !isLoading && value?.scheme === draft ? value.trial : undefined
  return (
    <>
      <p>
        The metadata of every text that is uploaded has to satisfy the JSON Schema of its project,
        where it has one. Trying one changes nothing.
      </p>
      <SchemeForm
        draft={draft}
        present={present}
        isTrying={isTrying}
        write={write}
        tryWith={tryWith}
      />
      <section aria-label="Trial" aria-busy={isTrying ? 'true' : 'false'}>
        {isTrying && <p role="status">Trying it on {number(project.embedding_count)} texts…</p>}
        {refusal !== undefined && isOfDraft && !isLoading && (
          <p class="refusal" role="alert">
            {refusal.message}
          </p>
        )}
        {trial !== undefined && <TrialResult name={name} trial={trial} />}
        <SetScheme
          key={draft}
          name={name}
          scheme={isEmpty ? null : draft}
          violationCount={isEmpty ? 0 : trial?.violation_count}
          isPresent={draft === present}
          done={() => setPresent(draft)}
        />
      </section>
    </>
  )
}

interface FormProps {
  readonly draft: string
  /** What the project has. */
  readonly present: string
  readonly isTrying: boolean
  readonly write: (scheme: string) => void
  /** With '' the trial is broken off. */
  readonly tryWith: (scheme: string) => void
}

function SchemeForm({ draft, present, isTrying, write, tryWith }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault()
    tryWith(draft)
  }
  return (
    <form class="scheme" onSubmit={submit}>
      <label for="scheme">JSON Schema</label>
      <textarea
        id="scheme"
        rows={14}
        spellcheck={false}
        value={draft}
        onInput={(event: Event) => write(typedIn(event))}
      />
      <p>
        <button type="submit" class="primary" disabled={draft.trim() === '' || isTrying}>
          Try it
        </button>
        {isTrying && (
          <button type="button" onClick={() => tryWith('')}>
            Stop
          </button>
        )}
        {draft !== present && (
          <button type="button" onClick={() => write(present)}>
            {present === '' ? 'Back to none' : 'Back to the present one'}
          </button>
        )}
      </p>
    </form>
  )
}

const number = (value: number) => value.toLocaleString('en-US')

/** In lines, where it is one long one. */
function readable(scheme: string): string {
  if (scheme.includes('\n') || scheme === '') return scheme
  try {
    return JSON.stringify(JSON.parse(scheme), null, 2)
  } catch {
    return scheme
  }
}
