import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { asRefusal, call } from './call.ts'
import { Button } from './elements.tsx'
import { forgetKey, frame, keepKey, storedKey } from './frame.ts'

interface Props {
  /** The owner of the key, if known. */
  readonly me?: Schemas['Me'] | undefined
  readonly changed: () => void
}

export function KeyBar({ me, changed }: Props) {
  const [isAsking, ask] = useState(false)
  const forget = () => {
    forgetKey()
    ask(false)
    changed()
  }
  const user = me?.is_admin === true ? 'the administrator' : me?.user_handle
  const noKey = isAsking ? (
    <KeyForm changed={changed} />
  ) : (
    <Button act={() => ask(true)}>Use a key</Button>
  )
  return (
    <div class="key-bar">
      {storedKey() === undefined ? (
        noKey
      ) : (
        <>
          <span class="soft">{user === undefined ? 'With your key' : `Key of ${user}`}</span>
          <a href={`${frame.base}explore/keys`}>Keys</a>
          <Button act={forget}>Forget key</Button>
        </>
      )}
    </div>
  )
}

export function KeyForm({ changed }: Pick<Props, 'changed'>) {
  const [problem, say] = useState('')
  const use = (event: Event) => {
    event.preventDefault()
    const input = document.querySelector<HTMLInputElement>('#key')
    const key = input?.value.trim() ?? ''
    // HTTP headers allow no other characters.
    if (!/^[!-~]+$/.test(key))
      return say('A key consists of letters, digits and punctuation, without spaces.')
    say('Asking the server…')
    // A key that is kept although it is wrong would lock out of public projects, too.
    call<unknown>('v1/me?limit=1', { key }).then(
      () => {
        keepKey(key)
        changed()
      },
      (error: unknown) => {
        const { status, message } = asRefusal(error)
        say(status === 401 ? 'This server does not know this key, or it has ended.' : message)
      },
    )
  }
  return (
    <form class="key-form" onSubmit={use}>
      <label for="key">API key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        aria-describedby="key-note"
      />
      <button type="submit" class="primary">
        Use key
      </button>
      <p id="key-note" class="soft" role={problem === '' ? undefined : 'alert'}>
        {problem === '' ? 'Kept in this tab until you forget the key or close it.' : problem}
      </p>
    </form>
  )
}
