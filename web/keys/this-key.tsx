import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { Moment } from '../moment.tsx'
import { RefusalNote } from '../refusal-note.tsx'
import { useLoaded } from '../use-loaded.ts'

interface Props {
  readonly known: NonNullable<Schemas['Me']['key']>
  readonly user: string
}

/** Shows the rights of a named key. The service's own message says that it cannot manage keys. */
export function ThisKey({ known, user }: Props) {
  const { refusal } = useLoaded<unknown>('once', (signal) =>
    call<unknown>(`v1/users/${encodeURIComponent(user)}/keys`, { signal }),
  )
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
