import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { copyText } from '../copy-text.ts'

export type Issued = Schemas['IssuedKey']

interface Props {
  readonly issued: Issued
  readonly done: () => void
}

/** Shows a new key once. The browser stores it nowhere, and it is gone once the panel is closed. */
export function IssuedKeyPanel({ issued, done }: Props) {
  const [said, say] = useState('Copy')
  useEffect(() => document.querySelector<HTMLElement>('#issued-title')?.focus(), [])
  const copy = () =>
    copyText(issued.api_key, '#issued-key').then(
      () => say('Copied'),
      () => say('Select the text to copy it'),
    )
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
        <button type="button" class="primary" aria-live="polite" onClick={copy}>
          {said}
        </button>
        <button type="button" onClick={done}>
          Done
        </button>
      </div>
    </section>
  )
}
