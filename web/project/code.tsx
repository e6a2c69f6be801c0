import { CopyButton } from '../elements.tsx'
import { frame, storedKey } from '../frame.ts'
import { curlOf, type ShownRequest } from './requests.ts'

export function Code({ request }: { readonly request: ShownRequest }) {
  const takesKey = storedKey() !== undefined
  const server = new URL(frame.base === '' ? './' : frame.base, location.href).href
  const command = curlOf(request, server, takesKey)
  return (
    <details class="code">
      <summary>Copy as curl</summary>
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
    </details>
  )
}
