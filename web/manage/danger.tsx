import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { AskButton, Confirm } from '../ask.tsx'
import { call } from '../call.ts'
import { counted, RefusalNote } from '../elements.tsx'
import { FormField, StepForm } from '../form.tsx'
import { frame } from '../frame.ts'
import { useAnswer } from '../loading.ts'
import { goAndSay } from '../toast.ts'
import { type Managed, projectPath } from './managed.ts'
import type { Shares } from './sharing.tsx'

const home = `${frame.base}explore`

/** Asks, in two steps, who gets the project. */
export function HandOverPanel({ project }: Managed) {
  const [user, choose] = useState('')
  const give = async () => {
    const body = { new_owner_handle: user }
    await call<unknown>(`${projectPath}/transfer-ownership`, { body })
    goAndSay(home, `${frame.name} now belongs to ${user}`)
  }
  return (
    <>
      <StepForm action="Hand it over…" save={async (text) => choose(text('new-owner'))}>
        <FormField name="new-owner" label="New owner" required>
          Texts and shares stay. You lose all access, unless the new owner shares it with you.
        </FormField>
      </StepForm>
      {user !== '' && (
        <Confirm action={`Hand ${frame.name} over to ${user}`} act={give} close={() => choose('')}>
          <p>
            {user} gets {counted(project.embedding_count)} with their vectors and metadata, and can
            change, share and delete the project. It moves to {user}/{frame.project}.
          </p>
          <p>
            {frame.owner} can no longer read it, and only {user} can give it back. Keys of{' '}
            {frame.owner} no longer reach it.
            {project.text_queries !== 'off' && ' Search by meaning is switched off.'}
          </p>
        </Confirm>
      )}
    </>
  )
}

type Gone = Schemas['DeleteAnswer']
const embeddings = `v1/embeddings/${frame.name}`

export function RemovalPanel({ changed }: Managed) {
  const empty = async () => {
    const { data } = await call<Gone>(embeddings, { method: 'DELETE' })
    changed(`Emptied ${frame.name}: ${counted(data.deleted_count)} gone`)
  }
  const remove = async () => {
    await call<unknown>(projectPath, { method: 'DELETE' })
    goAndSay(home, `Deleted ${frame.name}`)
  }
  const common = { kind: 'danger', icon: 'trash', name: frame.name } as const
  const [empties, removes] = [`Empty ${frame.name}`, `Delete ${frame.name}`]
  return (
    <div class="buttons">
      <AskButton words="Empty the project" action={empties} act={empty} {...common}>
        <WhatGoes />
        <p>The project stays, with its model, scheme, shares and keys.</p>
      </AskButton>
      <AskButton words="Delete the project" action={removes} act={remove} {...common}>
        <WhatGoes isAll />
      </AskButton>
    </div>
  )
}

/** Says what a deletion takes, as the server counts it now. */
function WhatGoes({ isAll = false }: { readonly isAll?: boolean }) {
  const path = `${embeddings}?dry_run=true`
  const dry = useAnswer<Gone>(path, path, { method: 'DELETE' })
  const shares = useAnswer<Shares>(isAll ? `${projectPath}/shared-with` : undefined)
  const users = shares.value?.shared_with.length ?? 0
  return (
    <>
      <RefusalNote refusal={dry.refusal} />
      <p role="status">
        {dry.value === undefined
          ? 'Counting what goes…'
          : `${counted(dry.value.matched_count)} with vectors and metadata go at once and for ever`}
        {isAll && users > 0 && `, and ${counted(users, 'user')} lose the project`}.
      </p>
    </>
  )
}
