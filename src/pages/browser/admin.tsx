import { render, useState } from 'hono/jsx/dom'
import { Overview, type ServiceFigures } from './admin/overview.tsx'
import { call } from './call.ts'
import { islandElement } from './frame.ts'
import { storedKey } from './key.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { RefusalNote } from './refusal-note.tsx'
import { useLoaded } from './use-loaded.ts'

/** Who and what is large, slow or refused; the service tells the administrator alone. */
function AdminPage() {
  const [times, count] = useState(0)
  const again = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const { value, refusal, isLoading } = useLoaded<ServiceFigures>(`${times}`, (signal) =>
    hasKey
      ? call<ServiceFigures>('v1/admin/overview', { signal }).then(({ data }) => data)
      : undefined,
  )
  return (
    <>
      <div class="head">
        <h1>Administration</h1>
        {hasKey && <KeyBar changed={again} />}
      </div>
      {!hasKey && (
        <section class="panel">
          <h2>The administrator's key is needed</h2>
          <p>It is the one that the server was started with.</p>
          <KeyForm changed={again} />
        </section>
      )}
      {hasKey && <RefusalNote refusal={refusal} />}
      {hasKey && refusal === undefined && value === undefined && <p class="soft">Loading…</p>}
      {hasKey && refusal === undefined && value !== undefined && (
        <Overview figures={value} isLoading={isLoading} again={again} />
      )}
    </>
  )
}

render(<AdminPage />, islandElement())
