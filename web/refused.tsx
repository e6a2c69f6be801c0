import type { RefusedCall } from './call.ts'
import { storedKey } from './key.ts'
import { KeyForm } from './key-bar.tsx'

interface Props {
  readonly refusal: RefusedCall
  readonly changed: () => void
}

/** Shows the same message for projects that do not exist and those that the caller may not read. */
export function Refused({ refusal, changed }: Props) {
  const isPrivate = refusal.status === 401 && storedKey() === undefined
  return (
    <section class="panel">
      {isPrivate ? (
        <>
          <h2>A key is needed</h2>
          <p>
            This project is not public, or does not exist. Enter the API key of somebody who may
            read it.
          </p>
        </>
      ) : (
        <p class="refusal" role="alert">
          {refusal.message}
        </p>
      )}
      {storedKey() === undefined && refusal.status !== 0 && <KeyForm changed={changed} />}
    </section>
  )
}
