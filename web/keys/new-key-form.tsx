import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call, RefusedCall } from '../call.ts'
import { RefusalNote } from '../elements.tsx'
import { useAnswer } from '../loading.ts'
import { describedKey } from './described-key.ts'
import type { Issued } from './key-item.tsx'

interface Props {
  readonly user: string
  readonly own: readonly string[] | undefined
  readonly path: string
  readonly created: (key: Issued) => void
  readonly cancel: () => void
}

/** The form for another key. */
export function NewKeyForm({ user, own, path, created, cancel }: Props) {
  const [refusal, refuse] = useState<RefusedCall | undefined>(undefined)
  const [isLimited, limit] = useState(false)
  useEffect(() => document.querySelector<HTMLElement>('#key-name')?.focus(), [])
  const create = (event: Event) => {
    event.preventDefault()
    const { currentTarget: form } = event
    if (!(form instanceof HTMLFormElement)) return
    const body = describedKey(new FormData(form))
    call<Issued>(path, { body }).then(
      ({ data }) => created(data),
      (error: unknown) => refuse(error instanceof RefusedCall ? error : undefined),
    )
  }
  return (
    <section class="panel" aria-labelledby="new-key">
      <h2 id="new-key">New key</h2>
      <form class="fields" onSubmit={create}>
        <Words />
        <fieldset>
          <legend>Access</legend>
          <Choice name="access" value="read" checked label="Read: read, search and export" />
          <Choice name="access" value="write" label="Write: also upload, change and delete" />
        </fieldset>
        <fieldset>
          <legend>Projects</legend>
          <Choice name="reach" value="all" checked onClick={() => limit(false)} label="All" />
          <Choice name="reach" value="some" onClick={() => limit(true)} label="These alone" />
          {isLimited && <Reach user={user} own={own} />}
        </fieldset>
        <div class="field">
          <label for="key-end">Ends after this day (UTC); leave empty for no expiry</label>
          <input id="key-end" name="end" type="date" />
        </div>
        <RefusalNote refusal={refusal} />
        <div class="buttons">
          <button type="submit" class="primary">
            Issue the key
          </button>
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      </form>
    </section>
  )
}

const Words = () => (
  <>
    <div class="field">
      <label for="key-name">Name, such as notebook</label>
      <input id="key-name" name="name" required autocomplete="off" spellcheck={false} />
    </div>
    <div class="field">
      <label for="key-description">What it is for (optional)</label>
      <input id="key-description" name="description" autocomplete="off" />
    </div>
  </>
)

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly checked?: boolean
  readonly type?: 'radio' | 'checkbox'
  readonly onClick?: () => void
}

const Choice = ({ label, type = 'radio', ...attributes }: ChoiceProps) => (
  <label class="choice">
    <input type={type} {...attributes} />
    <span>{label}</span>
  </label>
)

type Projects = Schemas['ProjectList']

/** Lets the user choose projects, or name others. */
function Reach({ user, own }: Pick<Props, 'user' | 'own'>) {
  const path = `v1/projects/${encodeURIComponent(user)}?limit=200&include_shared=true`
  const { value, refusal } = useAnswer<Projects>(own === undefined ? path : undefined)
  const names = value?.projects.map((each) => `${each.owner}/${each.project_handle}`)
  return (
    <>
      <RefusalNote refusal={refusal} />
      <div class="choices">
        {(own ?? names ?? []).map((name) => (
          <Choice key={name} type="checkbox" name="project" value={name} label={name} />
        ))}
      </div>
      <div class="field">
        <label for="key-projects">Others, such as alice/verses, separated by spaces</label>
        <input id="key-projects" name="projects" autocomplete="off" spellcheck={false} />
      </div>
    </>
  )
}
