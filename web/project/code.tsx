import { useState } from 'hono/jsx/dom'
import { CopyButton } from '../elements.tsx'
import { frame, storedKey } from '../frame.ts'
import { curlOf, type ShownRequest } from './requests.ts'

export function Code({ request }: { readonly request: ShownRequest }) {
  const [isOpen, open] = useState(false)
  return (
    <details
      class="code"
      onToggle={(event: Event) =>
        open(event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open)
      }
    >
      <summary>Copy as curl</summary>
      {isOpen && <Command request={request} />}
    </details>
  )
}

function Command({ request }: { readonly request: ShownRequest }) {
  const takesKey = storedKey() !== undefined
  const server = new URL(frame.base === '' ? './' : frame.base, location.href).href
  const command = curlOf(request, server, takesKey)
  return (
    <>
      {takesKey && (
        <p class="soft">
          With your key in the environment, as <code>SEMBLANCE_KEY</code>
        </p>
      )}
      <CopyButton text={command} field="#source" />
      <textarea
        id="source"
        readonly
        spellcheck={false}
        rows={5}
        aria-label="Command"
        value={command}
      />
    </>
  )
}
