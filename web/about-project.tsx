import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import type { RefusedCall } from './call.ts'
import { RefusalNote } from './elements.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { useAnswer } from './loading.ts'

/** Loads the project of the page, again for each key. */
export function useProject() {
  const name = `${frame.owner}/${frame.project}`
  const [keyNumber, count] = useState(0)
  const caller = `${keyNumber}`
  const loaded = useAnswer<Schemas['Project']>(`v1/projects/${name}`, caller)
  const changed = () => count((before) => before + 1)
  return { name, project: loaded.value, refusal: loaded.refusal, changed, caller }
}

interface Props {
  /** The words before the project's name, such as `Near-duplicates in`. */
  readonly title: string
  /** @param caller changes with each key */
  readonly show: (name: string, caller: string) => unknown
}

/** The frame of a page about one project. */
export function AboutProject({ title, show }: Props) {
  const { name, project, refusal, changed, caller } = useProject()
  return (
    <>
      <div class="head">
        <h1>
          <span class="owner">{title} </span>
          <a href={`${frame.base}explore/${name}`}>{name}</a>
        </h1>
        {(refusal === undefined || storedKey() !== undefined) && <KeyBar changed={changed} />}
      </div>
      {refusal !== undefined && <Refused refusal={refusal} changed={changed} />}
      {refusal === undefined && project === undefined && <p class="soft">Loading…</p>}
      {refusal === undefined && project !== undefined && show(name, caller)}
    </>
  )
}

interface RefusedProps {
  readonly refusal: RefusedCall
  readonly changed: () => void
}

/**
 * Shows the same message for projects that do not exist and those that the caller may not read, and
 * asks for a key.
 */
export function Refused({ refusal, changed }: RefusedProps) {
  const hasKey = storedKey() !== undefined
  return (
    <section class="panel">
      {refusal.status === 401 && !hasKey ? (
        <>
          <h2>A key is needed</h2>
          <p>
            This project is not public, or does not exist. Enter the API key of somebody who may
            read it.
          </p>
        </>
      ) : (
        <RefusalNote refusal={refusal} />
      )}
      {!hasKey && refusal.status !== 0 && <KeyForm changed={changed} />}
    </section>
  )
}
