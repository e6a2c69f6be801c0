import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Button, Empty, Loading, Moment, RefusalNote } from './elements.tsx'
import { FormField } from './form.tsx'
import { storedKey } from './frame.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { UserKeys } from './keys/user-keys.tsx'
import { useAnswer } from './loading.ts'

/** Lists the named keys of the user whose key this tab has; for the administrator, of `?user=`. */
export function KeysPage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const path = hasKey ? 'v1/me?limit=200' : undefined
  const { value: me, refusal } = useAnswer<Schemas['Me']>(path, `${keyNumber}`)
  const isKnown = hasKey && refusal === undefined && me !== undefined
  return (
    <>
      <KeyBar me={hasKey ? me : undefined} changed={changed} />
      <div class="head">
        <h1>Keys</h1>
      </div>
      {!hasKey && <Needed changed={changed} />}
      {hasKey && <RefusalNote refusal={refusal} />}
      {hasKey && refusal === undefined && me === undefined && <Loading />}
      {isKnown && <Managed key={keyNumber} me={me} />}
    </>
  )
}

const Needed = ({ changed }: { readonly changed: () => void }) => (
  <Empty title="A key is needed" icon="key">
    <p>Enter your first key, which you got from the administrator, to see and issue others.</p>
    <KeyForm changed={changed} />
  </Empty>
)

function Managed({ me }: { readonly me: Schemas['Me'] }) {
  if (me.key !== undefined) return <ThisKey known={me.key} user={me.user_handle ?? ''} />
  const asked = new URLSearchParams(location.search).get('user') ?? ''
  const user = me.is_admin ? asked : me.user_handle
  if (user === undefined || user === '') return <WhichUser />
  const own = me.projects.map((each) => `${each.owner}/${each.project_handle}`)
  return <UserKeys user={user} own={me.is_admin ? undefined : own} />
}

/** Asks the administrator, who has no named keys, whose keys to show. */
function WhichUser() {
  // The content security policy of the pages forbids submitting forms.
  const show = (event: Event) => {
    event.preventDefault()
    const user = document.querySelector<HTMLInputElement>('#user')?.value.trim() ?? ''
    location.assign(`?${new URLSearchParams({ user })}`)
  }
  return (
    <section class="panel">
      <h2>Whose keys?</h2>
      <p>The administrator has only one key, and manages the keys of all users.</p>
      <form class="fields" onSubmit={show}>
        <FormField id="user" name="user" label="User" required />
        <div class="buttons">
          <Button kind="primary">Show keys</Button>
        </div>
      </form>
    </section>
  )
}

interface ThisKeyProps {
  readonly known: NonNullable<Schemas['Me']['key']>
  readonly user: string
}

/** Shows the rights of a named key. The service's own message says that it cannot manage keys. */
function ThisKey({ known, user }: ThisKeyProps) {
  const { refusal } = useAnswer<unknown>(`v1/users/${encodeURIComponent(user)}/keys`)
  const verbs = known.access === 'read' ? 'reads' : 'reads and writes'
  return (
    <section class="panel">
      <h2>
        This is the key {user}/{known.key_handle}
      </h2>
      <p>
        It {verbs}, in {known.is_limited ? 'some projects only' : 'all projects of its user'}
        {known.expires_at === undefined ? '.' : ', until '}
        {known.expires_at !== undefined && <Moment at={known.expires_at} />}
      </p>
      <p>
        Only the first key of {user} or the administrator can list, issue, rotate and revoke keys.
        So nobody who finds another key can use it to get more rights.
      </p>
      <RefusalNote refusal={refusal} />
    </section>
  )
}
