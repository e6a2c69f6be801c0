import type { Schemas } from '../../clients/typescript/src/client.ts'
import { Button, CountedTitle, Empty, LoadNote } from '../elements.tsx'
import { useAnswer } from '../loading.ts'
import { useIssued } from './issued-key.tsx'
import { type Issued, KeyTable } from './key-table.tsx'
import { NewKeyForm } from './new-key-form.tsx'

interface Props {
  readonly user: string
  /** The project to which the keys are limited; without it, all keys are shown. */
  readonly only?: string
}

export function UserKeys({ user, only }: Props) {
  const path = `v1/users/${encodeURIComponent(user)}/keys`
  const loaded = useAnswer<Schemas['UserKeys']>(path)
  const { value, refusal, reload } = loaded
  const keys = value?.keys.filter(({ projects }) => only === undefined || projects?.includes(only))
  const { isNew, makeNew, done, panel } = useIssued<Issued>(
    ({ key_handle: name }) => `The key ${name}`,
    reload,
  )
  const kind = only === undefined ? 'primary' : undefined
  return (
    <>
      <div class="head">
        <p class="description">
          {only === undefined
            ? `The first key can do everything that ${user} can. Add keys that only read, cover some projects, or expire.`
            : 'Keys that are limited to this project, one for each program. They cannot manage it.'}
        </p>
        {refusal === undefined && !isNew && (
          <Button kind={kind} icon="plus" act={() => makeNew(true)}>
            New key
          </Button>
        )}
      </div>
      {panel}
      <section aria-label="Named keys">
        {only === undefined && <CountedTitle title="Named keys" count={keys?.length} />}
        <LoadNote of={loaded} />
        {keys?.length === 0 && !isNew && (
          <Empty title="No named keys yet" icon="key">
            <p>Give each program a key of its own, so that you can revoke it alone.</p>
          </Empty>
        )}
        {keys !== undefined && keys.length > 0 && (
          <KeyTable keys={keys} path={path} changed={done} />
        )}
      </section>
      {refusal === undefined && isNew && (
        <NewKeyForm
          {...{ user, only, path }}
          created={(key) => done(`Issued ${key.key_handle}`, key)}
          cancel={() => makeNew(false)}
        />
      )}
    </>
  )
}
