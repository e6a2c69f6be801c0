import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { Button, CopyButton, Empty, Loading, RefusalNote } from '../elements.tsx'
import { useAnswer } from '../loading.ts'
import { toast } from '../toast.ts'
import { type Issued, KeyTable } from './key-table.tsx'
import { NewKeyForm } from './new-key-form.tsx'

interface Props {
  readonly user: string
  /** The projects to offer for a limited key; undefined if they have to be loaded. */
  readonly own: readonly string[] | undefined
}

export function UserKeys({ user, own }: Props) {
  const path = `v1/users/${encodeURIComponent(user)}/keys`
  const [times, renew] = useState(0)
  const [isNew, makeNew] = useState(false)
  const [issued, setIssued] = useState<Issued | undefined>(undefined)
  const { value, refusal } = useAnswer<Schemas['UserKeys']>(path, `${path} ${times}`)
  // The browser may keep the page in its back/forward cache after the user has left it.
  useEffect(() => {
    const forget = () => setIssued(undefined)
    addEventListener('pagehide', forget)
    return () => removeEventListener('pagehide', forget)
  }, [])
  const changed = (words: string, key?: Issued) => {
    makeNew(false)
    setIssued(key)
    toast(words)
    renew((before) => before + 1)
  }
  return (
    <>
      <div class="head">
        <p class="description">
          The first key can do everything that <strong>{user}</strong> can. Add keys that only read,
          cover some projects, or expire.
        </p>
        {refusal === undefined && !isNew && (
          <Button kind="primary" icon="plus" act={() => makeNew(true)}>
            New key
          </Button>
        )}
      </div>
      {issued !== undefined && (
        <IssuedKeyPanel key={issued.api_key} issued={issued} done={() => setIssued(undefined)} />
      )}
      <section aria-label="Named keys">
        <h2>Named keys {value !== undefined && <span class="count">{value.keys.length}</span>}</h2>
        <RefusalNote refusal={refusal} />
        {refusal === undefined && value === undefined && <Loading />}
        {value?.keys.length === 0 && !isNew && (
          <Empty title="No named keys yet" icon="key">
            <p>Give each program a key of its own, so that you can revoke it alone.</p>
          </Empty>
        )}
        {value !== undefined && value.keys.length > 0 && (
          <KeyTable keys={value.keys} path={path} changed={changed} />
        )}
      </section>
      {refusal === undefined && isNew && (
        <NewKeyForm
          {...{ user, own, path }}
          created={(key) => changed(`Issued ${key.key_handle}`, key)}
          cancel={() => makeNew(false)}
        />
      )}
    </>
  )
}

interface IssuedProps {
  readonly issued: Issued
  readonly done: () => void
}

/** Shows a new key once. The browser stores it nowhere, and it is gone once the panel is closed. */
function IssuedKeyPanel({ issued, done }: IssuedProps) {
  useEffect(() => document.querySelector<HTMLElement>('#issued-title')?.focus(), [])
  return (
    <section class="panel" aria-labelledby="issued-title">
      <h2 id="issued-title" tabindex={-1}>
        The key {issued.key_handle}
      </h2>
      <p>Copy it now. It is never shown again.</p>
      <div class="copied">
        <input
          id="issued-key"
          aria-label="The new key"
          readonly
          autocomplete="off"
          spellcheck={false}
          value={issued.api_key}
        />
        <CopyButton text={issued.api_key} field="#issued-key" />
        <Button act={done}>Done</Button>
      </div>
    </section>
  )
}
