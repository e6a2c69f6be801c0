import type { Schemas } from '../clients/typescript/src/client.ts'
import { ButtonLink, Empty, Moment } from './elements.tsx'
import { KeyedPage } from './keyed-page.tsx'
import { UserKeys } from './keys/user-keys.tsx'

/** Lists the named keys of the user whose key this tab has; for the administrator, of `?user=`. */
export const KeysPage = () => (
  <KeyedPage
    title="Keys"
    why="Enter your first key, which you got from the administrator, to see and issue others."
    show={(me) => <Managed me={me} />}
  />
)

function Managed({ me }: { readonly me: Schemas['Me'] }) {
  if (me.key !== undefined) return <ThisKey known={me.key} user={me.user_handle ?? ''} />
  const asked = new URLSearchParams(location.search).get('user') ?? ''
  const user = me.is_admin ? asked : (me.user_handle ?? '')
  if (user !== '') return <UserKeys user={user} />
  return (
    <Empty title="Whose keys?" icon="key">
      <p>The administrator has only one key, and manages the keys of all users.</p>
      <ButtonLink kind="primary" href="admin">
        Choose a user
      </ButtonLink>
    </Empty>
  )
}

interface ThisKeyProps {
  readonly known: NonNullable<Schemas['Me']['key']>
  readonly user: string
}

/** Shows the rights of a named key. */
function ThisKey({ known, user }: ThisKeyProps) {
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
    </section>
  )
}
