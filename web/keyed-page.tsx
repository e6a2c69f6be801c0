import type { Schemas } from '../clients/typescript/src/client.ts'
import { Empty, LoadNote } from './elements.tsx'
import { KeyForm, useCaller } from './key-bar.tsx'

interface Props {
  readonly title: string
  /** Why it needs a key, and whose. */
  readonly why: string
  readonly show: (me: Schemas['Me']) => unknown
}

/** A page that has nothing to show without a key. */
export function KeyedPage({ title, why, show }: Props) {
  const { hasKey, me, loaded, bar } = useCaller()
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
          <KeyForm />
        </Empty>
      )}
      {loaded.refusal === undefined && me !== undefined && show(me)}
    </>
  )
}
