import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { RefusalNote } from '../elements.tsx'
import { FormChoice, FormField, StepForm } from '../form.tsx'
import { useAnswer } from '../loading.ts'
import { projectName } from '../project-columns.tsx'
import { describedKey } from './described-key.ts'
import type { Issued } from './key-table.tsx'

interface Props {
  readonly user: string
  /** The one project that it is for, if that is no choice. */
  readonly only: string | undefined
  readonly path: string
  readonly created: (key: Issued) => void
  readonly cancel: () => void
}

export function NewKeyForm({ user, only, path, created, cancel }: Props) {
  const [isLimited, limit] = useState(false)
  useLayoutEffect(() => document.querySelector<HTMLElement>('#key-name')?.focus(), [])
  const save = async (_: unknown, __: AbortSignal, given: FormData) => {
    const body = { ...describedKey(given), ...(only !== undefined && { projects: [only] }) }
    created((await call<Issued>(path, { body })).data)
  }
  const kind = only === undefined ? 'primary' : undefined
  return (
    <section class="panel" aria-labelledby="new-key">
      <h2 id="new-key">New key</h2>
      <StepForm action="Issue the key" {...{ kind, save, cancel }}>
        <FormField id="key-name" name="name" label="Name" pattern="[A-Za-z0-9_\-]+" required>
          Such as notebook: letters, digits, - and _
        </FormField>
        <FormField id="key-use" name="description" label="What it is for (optional)" />
        <fieldset>
          <legend>Access</legend>
          <FormChoice name="access" value="read" checked label="Read">
            Read, search and export
          </FormChoice>
          <FormChoice name="access" value="write" label="Write">
            Also upload, change and delete
          </FormChoice>
        </fieldset>
        {only === undefined && (
          <fieldset>
            <legend>Projects</legend>
            <FormChoice name="reach" value="all" checked onClick={() => limit(false)} label="All" />
            <FormChoice name="reach" value="some" onClick={() => limit(true)} label="Only these" />
            {isLimited && <Reach user={user} />}
          </fieldset>
        )}
        <FormField name="end" type="date" label="Ends after this day (optional)">
          At midnight UTC. Without a day it never ends.
        </FormField>
      </StepForm>
    </section>
  )
}

function Reach({ user }: Pick<Props, 'user'>) {
  const path = `v1/projects/${encodeURIComponent(user)}?limit=200&include_shared=true`
  const { value, refusal } = useAnswer<Schemas['ProjectList']>(path)
  return (
    <>
      <RefusalNote refusal={refusal} />
      <div class="choices">
        {value?.projects.map(projectName).map((name) => (
          <FormChoice key={name} type="checkbox" name="project" value={name} label={name} />
        ))}
      </div>
      <FormField name="projects" label="Others, such as alice/verses, separated by spaces" />
    </>
  )
}
