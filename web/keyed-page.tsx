import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Empty, LoadNote } from './elements.tsx'
import { storedKey } from './frame.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { useAnswer } from './loading.ts'

interface Props {
  readonly title: string
  /** Why it needs a key, and whose. */
  readonly why: string
  /** @param caller changes with each key */
  readonly show: (me: Schemas['Me'], caller: string) => unknown
}

/** A page that has nothing to show without a key. */
export function KeyedPage({ title, why, show }: Props) {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const path = hasKey ? 'v1/me?limit=200' : undefined
  const loaded = useAnswer<Schemas['Me']>(path, `${keyNumber}`)
  const { value: me, refusal } = loaded
  return (
    <>
      <KeyBar me={hasKey ? me : undefined} changed={changed} />
      <div class="head">
        <h1>{title}</h1>
      </div>
      {!hasKey && (
        <Empty title="A key is needed" icon="key">
          <p>{why}</p>
          <KeyForm changed={changed} />
        </Empty>
      )}
      {hasKey && <LoadNote of={loaded} />}
      {hasKey && refusal === undefined && me !== undefined && show(me, `${keyNumber}`)}
    </>
  )
}
