import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { RefusedCall } from './call.ts'
import { RefusalNote } from './elements.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { useAnswer } from './loading.ts'

type Project = Schemas['Project']

interface Props {
  readonly heading: unknown
  /** Whether it serves to change the project, which nobody may without a key. */
  readonly needsKey?: boolean
  /** @param project undefined while it is loading @param caller changes with each key */
  readonly show: (project: Project | undefined, caller: string) => unknown
}

const changing = 'A change needs a key.'

/** The frame of a page about one project, which it loads again for each key. */
export function ProjectFrame({ heading, needsKey = false, show }: Props) {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const caller = `${keyNumber}`
  const isLocked = needsKey && storedKey() === undefined
  const path = isLocked ? undefined : `v1/projects/${frame.name}`
  const { value: project, refusal: refused } = useAnswer<Project>(path, caller)
  const refusal = isLocked ? new RefusedCall(401, changing) : refused
  return (
    <>
      <div class="head">
        <h1>{heading}</h1>
        {(refusal === undefined || storedKey() !== undefined) && <KeyBar changed={changed} />}
      </div>
      {refusal !== undefined && <Refused refusal={refusal} changed={changed} />}
      {refusal === undefined && project === undefined && <p class="soft">Loading…</p>}
      {refusal === undefined && show(project, caller)}
    </>
  )
}

/** The heading of a page below that of the project, such as `Map of ann/verses`. */
export const linkedHeading = (words: string) => (
  <>
    <span class="owner">{words} </span>
    <a href={`${frame.base}explore/${frame.name}`}>{frame.name}</a>
  </>
)

interface RefusedProps {
  readonly refusal: RefusedCall
  readonly changed: () => void
}

/** Shows the same for a project that does not exist and for one that the caller may not read. */
function Refused({ refusal, changed }: RefusedProps) {
  const hasKey = storedKey() !== undefined
  return (
    <section class="panel">
      {refusal.status === 401 && !hasKey ? (
        <>
          <h2>A key is needed</h2>
          <p>
            {refusal.message === changing
              ? 'Enter the API key of somebody who may change this project.'
              : 'This project is not public, or does not exist. Enter the API key of somebody who may read it.'}
          </p>
        </>
      ) : (
        <RefusalNote refusal={refusal} />
      )}
      {!hasKey && refusal.status !== 0 && <KeyForm changed={changed} />}
    </section>
  )
}
