import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { Button, RefusalNote } from '../elements.tsx'
import { FormChoice, FormField } from '../form.tsx'
import { useAnswer, useStep } from '../loading.ts'
import { describedKey } from './described-key.ts'
import type { Issued } from './key-table.tsx'

interface Props {
  readonly user: string
  readonly own: readonly string[] | undefined
  readonly path: string
  readonly created: (key: Issued) => void
  readonly cancel: () => void
}

export function NewKeyForm({ user, own, path, created, cancel }: Props) {
  const { isBusy, refusal, run } = useStep()
  const [isLimited, limit] = useState(false)
  useEffect(() => document.querySelector<HTMLElement>('#key-name')?.focus(), [])
  const create = (event: Event) => {
    event.preventDefault()
    const { currentTarget: form } = event
    if (!(form instanceof HTMLFormElement)) return
    const body = describedKey(new FormData(form))
    run(async () => created((await call<Issued>(path, { body })).data))
  }
  return (
    <section class="panel" aria-labelledby="new-key">
      <h2 id="new-key">New key</h2>
      <form class="fields" onSubmit={create}>
        <FormField id="key-name" name="name" label="Name" help="Such as notebook" required />
        <FormField name="description" label="What it is for (optional)" />
        <fieldset>
          <legend>Access</legend>
          <FormChoice
            name="access"
            value="read"
            checked
            label="Read"
            help="Read, search and export"
          />
          <FormChoice
            name="access"
            value="write"
            label="Write"
            help="Also upload, change and delete"
          />
        </fieldset>
        <fieldset>
          <legend>Projects</legend>
          <FormChoice name="reach" value="all" checked onClick={() => limit(false)} label="All" />
          <FormChoice name="reach" value="some" onClick={() => limit(true)} label="Only these" />
          {isLimited && <Reach user={user} own={own} />}
        </fieldset>
        <FormField
          name="end"
          type="date"
          label="Ends after this day (optional)"
          help="At midnight UTC. Without a day it never ends."
        />
        <RefusalNote refusal={refusal} />
        <div class="buttons">
          <Button kind="primary" isBusy={isBusy}>
            Issue the key
          </Button>
          <Button act={cancel}>Cancel</Button>
        </div>
      </form>
    </section>
  )
}

function Reach({ user, own }: Pick<Props, 'user' | 'own'>) {
  const path = `v1/projects/${encodeURIComponent(user)}?limit=200&include_shared=true`
  const { value, refusal } = useAnswer<Schemas['ProjectList']>(own === undefined ? path : undefined)
  const names = value?.projects.map((each) => `${each.owner}/${each.project_handle}`)
  return (
    <>
      <RefusalNote refusal={refusal} />
      <div class="choices">
        {(own ?? names ?? []).map((name) => (
          <FormChoice key={name} type="checkbox" name="project" value={name} label={name} />
        ))}
      </div>
      <FormField name="projects" label="Others, such as alice/verses, separated by spaces" />
    </>
  )
}
