import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { forgetKey, frame, keepKey, storedKey } from './frame.ts'

interface Props {
  /** The owner of the key, if known. */
  readonly me?: Schemas['Me'] | undefined
  readonly changed: () => void
}

/** Shows whether this tab has a key, and lets the user enter or forget it. */
export function KeyBar({ me, changed }: Props) {
  const [isAsking, ask] = useState(false)
  if (storedKey() !== undefined) {
    const forget = () => {
      forgetKey()
      changed()
    }
    const user = me?.is_admin === true ? 'the administrator' : me?.user_handle
    return (
      <div class="key-bar">
        <span class="soft">{user === undefined ? 'With your key' : `Key of ${user}`}</span>
        <a href={`${frame.base}explore/keys`}>Keys</a>
        <button type="button" onClick={forget}>
          Forget key
        </button>
      </div>
    )
  }
  return (
    <div class="key-bar">
      {isAsking ? (
        <KeyForm
          changed={() => {
            ask(false)
            changed()
          }}
        />
      ) : (
        <button type="button" onClick={() => ask(true)}>
          Use a key
        </button>
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
    keepKey(key)
    changed()
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
