import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { AskButton } from '../ask.tsx'
import { call } from '../call.ts'
import {
  Button,
  ButtonLink,
  CountedTitle,
  counted,
  Dialog,
  Empty,
  LoadNote,
  RefusalNote,
  typedIn,
} from '../elements.tsx'
import { FormField, StepForm } from '../form.tsx'
import { frame } from '../frame.ts'
import { useIssued } from '../keys/issued-key.tsx'
import { useAnswer, useLoaded } from '../loading.ts'
import type { Instances } from '../new-project/instances.ts'
import { type Column, Table } from '../table.tsx'

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
        <CountedTitle title="Users" count={value?.users.length} />
        <Button kind="primary" icon="plus" act={() => makeNew(true)}>
          New user
        </Button>
      </div>
      {panel}
      <LoadNote of={loaded} />
      {value !== undefined && users.length === 0 && (
        <Empty title="No users yet" icon="key">
          <p>
            Make one, and pass on the key that you then see once. With it, a user makes projects.
          </p>
        </Empty>
      )}
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
  done: ChangesProps['done'],
): readonly Column<string>[] {
  const of = (user: string) => projects?.filter(({ owner }) => owner === user)
  const texts = (user: string) => of(user)?.reduce((sum, each) => sum + each.embedding_count, 0)
  return [
    { title: 'User', by: (user) => user, show: (user) => <strong>{user}</strong> },
    { title: 'Projects', isNumber: true, by: (user) => of(user)?.length ?? '' },
    { title: 'Texts', isNumber: true, by: (user) => texts(user) ?? '' },
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
  const named = (action: string) => ({ label: action, action })
  return (
    <div class="buttons">
      <ButtonLink label={`Named keys of ${user}`} href={`${frame.base}explore/keys?user=${user}`}>
        Keys
      </ButtonLink>
      <AskButton words="Rotate" {...named(`Rotate the key of ${user}`)} act={rotate}>
        <p>
          You get a new first key to pass on. Programs that use the old one stop working at once.
          Named keys stay.
        </p>
      </AskButton>
      <AskButton words="Delete" kind="danger" {...named(`Delete ${user}`)} name={user} act={remove}>
        <WhatUserHas user={user} />
      </AskButton>
    </div>
  )
}

function NewUser({ created }: { readonly created: (user: WithKey) => void }) {
  const make = async (text: (name: string) => string) => {
    const [user_handle, name, email] = [text('user'), text('name'), text('email')]
    const body = { user_handle, name: name || null, email: email || null }
    created((await call<WithKey>('v1/users', { body })).data)
  }
  return (
    <StepForm action="Make the user" kind="primary" save={make}>
      <FormField name="user" label="Handle" pattern="[A-Za-z0-9\-][A-Za-z0-9_\-]*" required>
        Letters, digits, - and _. It is part of the addresses of the user's projects.
      </FormField>
      <FormField name="name" label="Name (optional)" />
      <FormField name="email" label="E-mail (optional)" />
    </StepForm>
  )
}

/** What goes with a user. The API has no dry run of that, so it is counted by reading. */
function WhatUserHas({ user }: { readonly user: string }) {
  const { value, refusal } = useLoaded(user, countOf)
  return (
    <>
      <RefusalNote refusal={refusal} />
      <p role="status">
        {value === undefined
          ? 'Counting what goes…'
          : `With ${user} go, at once and for ever: ${counted(value.projects, 'project')} with ${counted(value.texts)}${value.isCut ? ' or more' : ''}, ${counted(value.models, 'model')} and ${counted(value.keys, 'named key')}.`}
      </p>
      <p>
        Whoever has a share of these projects loses them. Projects of others with a model of {user}{' '}
        stay, without a model.
      </p>
    </>
  )
}

async function countOf(signal: AbortSignal, user: string) {
  const handle = encodeURIComponent(user)
  const [{ data: list }, { data: models }, { data: keys }] = await Promise.all([
    call<Schemas['ProjectList']>(`v1/projects/${handle}?limit=200`, { signal }),
    call<Instances>(`v1/llm-services/${handle}`, { signal }),
    call<Schemas['UserKeys']>(`v1/users/${handle}/keys`, { signal }),
  ])
  return {
    projects: list.total_count,
    texts: list.projects.reduce((sum, each) => sum + each.embedding_count, 0),
    isCut: list.projects.length < list.total_count,
    models: models.instances.filter(({ owner }) => owner === user).length,
    keys: keys.keys.length,
  }
}
