import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { Button, Confirm, Moment } from '../elements.tsx'
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

interface Asked {
  readonly name: string
  readonly step: 'Rotate' | 'Revoke'
}

export function KeyTable({ keys, path, changed }: Props) {
  const [asked, ask] = useState<Asked | undefined>(undefined)
  const act = async ({ name, step }: Asked) => {
    const place = `${path}/${encodeURIComponent(name)}`
    if (step === 'Revoke') {
      await call<unknown>(place, { method: 'DELETE' })
      changed(`Revoked ${name}`)
    } else {
      const { data } = await call<Issued>(`${place}/rotate`, { method: 'POST' })
      changed(`Rotated ${name}`, data)
    }
    ask(undefined)
  }
  const button = (step: Asked['step'], name: string) => (
    <Button
      kind={step === 'Revoke' ? 'danger' : undefined}
      label={`${step} ${name}`}
      act={() => ask({ name, step })}
    >
      {step}
    </Button>
  )
  const actions: Column<Key> = {
    title: 'Change',
    show: ({ key_handle: name }) => (
      <div class="buttons">
        {button('Rotate', name)}
        {button('Revoke', name)}
      </div>
    ),
  }
  return (
    <>
      <Table
        label="Named keys"
        rows={keys}
        columns={[...columns, actions]}
        keyOf={({ key_handle: name }) => name}
      />
      {asked !== undefined && (
        <Confirm
          title={`${asked.step} ${asked.name}?`}
          action={`${asked.step} ${asked.name}`}
          act={() => act(asked)}
          close={() => ask(undefined)}
        >
          <p>
            {asked.step === 'Revoke'
              ? 'Programs that use this key stop working at once, for good.'
              : 'You get a new key. Programs that use the old one stop working at once.'}
          </p>
        </Confirm>
      )}
    </>
  )
}

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
