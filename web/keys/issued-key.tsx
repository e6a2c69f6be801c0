import { useLayoutEffect, useState } from 'hono/jsx/dom'
import { CopyField } from '../copy.tsx'
import { Button } from '../elements.tsx'
import { toast } from '../toast.ts'

/**
 * Keeps whether something new is asked for, and the key that it or another change has given.
 * @param reload loads anew what has changed
 */
export function useIssued<Issued extends { readonly api_key: string }>(
  titleOf: (issued: Issued) => string,
  reload: () => void,
) {
  const [isNew, makeNew] = useState(false)
  const [issued, keep] = useState<Issued | undefined>(undefined)
  const done = (words: string, given?: Issued) => {
    makeNew(false)
    keep(given)
    toast(words)
    reload()
  }
  const { api_key: apiKey = '' } = issued ?? {}
  const panel = issued && (
    <IssuedKeyPanel
      key={apiKey}
      title={titleOf(issued)}
      apiKey={apiKey}
      done={() => keep(undefined)}
    />
  )
  return { isNew, makeNew, done, panel }
}

interface Props {
  /** Such as `The key notebook`. */
  readonly title: string
  readonly apiKey: string
  readonly done: () => void
}

/** Shows a new key once. The browser stores it nowhere, and it is gone once the panel is closed. */
function IssuedKeyPanel({ title, apiKey, done }: Props) {
  useLayoutEffect(() => {
    document.querySelector<HTMLElement>('#issued-title')?.focus()
    // The browser may keep the page in its back/forward cache after the user has left it.
    addEventListener('pagehide', done)
    return () => removeEventListener('pagehide', done)
  }, [])
  return (
    <section class="panel" aria-labelledby="issued-title">
      <h2 id="issued-title" tabindex={-1}>
        {title}
      </h2>
      <p>Copy it now. It is never shown again.</p>
      <CopyField id="issued-key" label="The new key" text={apiKey}>
        <Button act={done}>Done</Button>
      </CopyField>
    </section>
  )
}
