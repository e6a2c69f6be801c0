import type { Schemas } from '../../clients/typescript/src/client.ts'
import { AskButton } from '../ask.tsx'
import { call } from '../call.ts'
import { Moment } from '../elements.tsx'
import { frame } from '../frame.ts'
import { type Column, Table } from '../table.tsx'

export type Issued = Schemas['IssuedKey']
type Key = Schemas['Key']

interface Props {
  readonly keys: readonly Key[]
  /** The API path of the user's keys. */
  readonly path: string
  readonly changed: (words: string, key?: Issued) => void
}

export function KeyTable({ keys, path, changed }: Props) {
  const place = (name: string) => `${path}/${encodeURIComponent(name)}`
  const rotate = async (name: string) => {
    const { data } = await call<Issued>(`${place(name)}/rotate`, { method: 'POST' })
    changed(`Rotated ${name}`, data)
  }
  const revoke = async (name: string) => {
    await call<unknown>(place(name), { method: 'DELETE' })
    changed(`Revoked ${name}`)
  }
  const actions: Column<Key> = {
    title: 'Change',
    show: ({ key_handle: name }) => (
      <div class="buttons">
        <AskButton words="Rotate" {...named(`Rotate ${name}`)} act={() => rotate(name)}>
          <p>You get a new key. Programs that use the old one stop working at once.</p>
        </AskButton>
        <AskButton
          words="Revoke"
          kind="danger"
          {...named(`Revoke ${name}`)}
          act={() => revoke(name)}
        >
          <p>Programs that use this key stop working at once, for good.</p>
        </AskButton>
      </div>
    ),
  }
  return (
    <Table
      label="Named keys"
      rows={keys}
      columns={[...columns, actions]}
      keyOf={({ key_handle: name }) => name}
    />
  )
}

const named = (action: string) => ({ label: action, action })

const columns: readonly Column<Key>[] = [
  {
    title: 'Name',
    by: ({ key_handle: name }) => name,
    show: ({ key_handle: name, description }) => (
      <div>
        <strong>{name}</strong>
        {description !== undefined && <p class="clamped soft">{description}</p>}
      </div>
    ),
  },
  { title: 'Access', show: ({ access }) => (access === 'read' ? 'read' : 'read and write') },
  { title: 'Projects', show: ({ projects }) => (projects ? <Names of={projects} /> : 'all') },
  {
    title: 'Ends',
    by: ({ expires_at: end = '' }) => end,
    show: ({ expires_at: end }) =>
      end === undefined ? (
        'never'
      ) : (
        <span class={new Date(end) <= new Date() ? 'wrong' : undefined}>
          <Moment at={end} />
        </span>
      ),
  },
  {
    title: 'Last used',
    by: ({ last_used_at: used = '' }) => used,
    show: ({ last_used_at: used }) => (used === undefined ? 'never' : <Moment at={used} />),
  },
]

const Names = ({ of: names }: { readonly of: readonly string[] }) => (
  <span>
    {names.length === 0 && 'none left'}
    {names.map((name, index) => (
      <span key={name}>
        {index > 0 && ', '}
        <a href={`${frame.base}explore/${name}`}>{name}</a>
      </span>
    ))}
  </span>
)
