import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { AskButton } from '../ask.tsx'
import { call } from '../call.ts'
import { Button, Dialog, LoadNote, typedIn } from '../elements.tsx'
import { FormField, StepForm } from '../form.tsx'
import { frame } from '../frame.ts'
import { useIssued } from '../keys/issued-key.tsx'
import { useAnswer } from '../loading.ts'
import { type Column, Table } from '../table.tsx'
import { textIn } from '../text-in.ts'
import { WhatUserHas } from './what-user-has.tsx'

type WithKey = Schemas['UserWithKey']

interface Props {
  readonly projects: readonly Schemas['VisibleProject'][] | undefined
  readonly changed: () => void
}

const mostShown = 100

export function Users({ projects, changed }: Props) {
  const loaded = useAnswer<{ readonly users: readonly string[] }>('v1/users')
  const { value, reload } = loaded
  const [part, look] = useState('')
  const reloadAll = () => {
    reload()
    changed()
  }
  const { isNew, makeNew, done, panel } = useIssued<WithKey>(
    ({ user_handle: user }) => `The key of ${user}`,
    reloadAll,
  )
  const users = value?.users ?? []
  const found = users.filter((user) => user.toLowerCase().includes(part.toLowerCase()))
  return (
    <section>
      <div class="head">
        <h2>
          Users <span class="count">{value && users.length.toLocaleString('en-US')}</span>
        </h2>
        <Button kind="primary" icon="plus" act={() => makeNew(true)}>
          New user
        </Button>
      </div>
      {panel}
      <LoadNote of={loaded} />
      {users.length > 10 && (
        <FormField name="part" label="Find a user" onInput={(event) => look(typedIn(event))} />
      )}
      {users.length > 0 && (
        <Table
          label="Users"
          rows={found.slice(0, mostShown)}
          columns={columnsFor(projects, done)}
          keyOf={(user) => user}
        />
      )}
      {found.length > mostShown && <p class="soft">These are the first {mostShown}.</p>}
      {isNew && (
        <Dialog title="New user" close={() => makeNew(false)}>
          <NewUser created={(user) => done(`Made ${user.user_handle}`, user)} />
        </Dialog>
      )}
    </section>
  )
}

function columnsFor(
  projects: Props['projects'],
  done: (words: string, user?: WithKey) => void,
): readonly Column<string>[] {
  const of = (user: string) => projects?.filter(({ owner }) => owner === user) ?? []
  const texts = (user: string) => of(user).reduce((sum, each) => sum + each.embedding_count, 0)
  const shown = (count: number) => projects && count.toLocaleString('en-US')
  const count = (user: string) => of(user).length
  return [
    { title: 'User', by: (user) => user, show: (user) => <strong>{user}</strong> },
    { title: 'Projects', isNumber: true, by: count, show: (user) => shown(count(user)) },
    { title: 'Texts', isNumber: true, by: texts, show: (user) => shown(texts(user)) },
    { title: 'Change', show: (user) => <Changes user={user} done={done} /> },
  ]
}

interface ChangesProps {
  readonly user: string
  readonly done: (words: string, user?: WithKey) => void
}

function Changes({ user, done }: ChangesProps) {
  const path = `v1/users/${encodeURIComponent(user)}`
  const rotate = async () => {
    const { data } = await call<WithKey>(`${path}/rotate-key`, { method: 'POST' })
    done(`Rotated the key of ${user}`, data)
  }
  const remove = async () => {
    await call<unknown>(path, { method: 'DELETE' })
    done(`Deleted ${user}`)
  }
  const [rotates, deletes] = [`Rotate the key of ${user}`, `Delete ${user}`]
  return (
    <div class="buttons">
      <a
        class="button"
        aria-label={`Named keys of ${user}`}
        href={`${frame.base}explore/keys?user=${user}`}
      >
        Keys
      </a>
      <AskButton words="Rotate" label={rotates} action={rotates} act={rotate}>
        <p>
          You get a new first key to pass on. Programs that use the old one stop working at once.
          Named keys stay.
        </p>
      </AskButton>
      <AskButton
        {...{ words: 'Delete', label: deletes, kind: 'danger', action: deletes, act: remove }}
        name={user}
      >
        <WhatUserHas user={user} />
      </AskButton>
    </div>
  )
}

const NewUser = ({ created }: { readonly created: (user: WithKey) => void }) => (
  <StepForm
    action="Make the user"
    kind="primary"
    save={async (given) => {
      const text = textIn(given)
      const [user_handle, name, email] = [text('user'), text('name'), text('email')]
      const body = { user_handle, name: name || null, email: email || null }
      created((await call<WithKey>('v1/users', { body })).data)
    }}
  >
    <FormField
      name="user"
      label="Handle"
      help="Letters, digits, - and _. It is part of the addresses of the user's projects."
      pattern="[A-Za-z0-9\-][A-Za-z0-9_\-]*"
      required
    />
    <FormField name="name" label="Name (optional)" />
    <FormField name="email" label="E-mail (optional)" />
  </StepForm>
)
