import type { Schemas } from '../clients/typescript/src/client.ts'
import { Empty, LoadNote } from './elements.tsx'
import { KeyForm, useCaller } from './key-bar.tsx'

interface Props {
  readonly title: string
  /** Why it needs a key, and whose. */
  readonly why: string
  /** @param caller changes with each key */
  readonly show: (me: Schemas['Me'], caller: string) => unknown
}

/** A page that has nothing to show without a key. */
export function KeyedPage({ title, why, show }: Props) {
  const { caller, hasKey, me, loaded, changed, bar } = useCaller()
  return (
    <>
      {bar}
      <div class="head">
        <h1>{title}</h1>
      </div>
      {hasKey ? (
        <LoadNote of={loaded} />
      ) : (
        <Empty title="A key is needed" icon="key">
          <p>{why}</p>
          <KeyForm changed={changed} />
        </Empty>
      )}
      {loaded.refusal === undefined && me !== undefined && show(me, caller)}
    </>
  )
}
