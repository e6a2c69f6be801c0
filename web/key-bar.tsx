import { createPortal, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { asRefusal, call } from './call.ts'
import { Button, Dialog } from './elements.tsx'
import { FormField, StepForm } from './form.tsx'
import { changeKey, frame, storedKey } from './frame.ts'
import { Icon } from './icons.tsx'
import { useAnswer } from './loading.ts'

/** Whose key this tab has, with the bar that says so in the header of the page. */
export function useCaller() {
  const hasKey = storedKey() !== undefined
  const loaded = useAnswer<Schemas['Me']>(hasKey ? 'v1/me?limit=200' : undefined)
  const me = loaded.value
  return { hasKey, me, loaded, bar: <KeyBar me={me} /> }
}

/** @param me the owner of the key, if known */
function KeyBar({ me }: { readonly me: Schemas['Me'] | undefined }) {
  const [isAsking, ask] = useState(false)
  const place = document.querySelector<HTMLElement>('#key-bar')
  if (place === null) return null
  const isAdmin = me?.is_admin === true
  const user = isAdmin ? 'the administrator' : me?.user_handle
  const bar =
    storedKey() === undefined ? (
      <Button icon="key" act={() => ask(true)}>
        Use a key
      </Button>
    ) : (
      <>
        <span class="whose">
          <Icon name="key" />
          <span>{user === undefined ? 'Your key' : [<span class="of">Key of </span>, user]}</span>
        </span>
        <a href={`${frame.base}explore/${isAdmin ? 'admin' : 'keys'}`}>
          {isAdmin ? 'Administration' : 'Keys'}
        </a>
        <Button kind="quiet" act={() => changeKey(undefined)}>
          Forget key
        </Button>
      </>
    )
  return (
    <>
      {createPortal(bar, place)}
      {isAsking && (
        <Dialog title="Use a key" close={() => ask(false)}>
          <KeyForm />
        </Dialog>
      )}
    </>
  )
}

export const KeyForm = () => (
  <StepForm action="Use key" kind="primary" save={(text) => changeIfKnown(text('key'))}>
    <FormField id="key" name="key" type="password" label="API key" required>
      You get it from the administrator of this server. It stays in this tab until you forget it or
      close the tab.
    </FormField>
  </StepForm>
)

/** A key that is kept although it is wrong would lock out of public projects, too. */
async function changeIfKnown(key: string): Promise<void> {
  // HTTP headers allow no other characters.
  const isKey = /^[!-~]+$/.test(key)
  if (!isKey) throw new Error('A key has only letters, digits and punctuation.')
  await call<unknown>('v1/me?limit=1', { key }).catch((error: unknown) => {
    if (asRefusal(error).status !== 401) throw error
    throw new Error('This server does not know this key, or it has ended.')
  })
  changeKey(key)
}
