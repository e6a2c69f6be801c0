import { render, useState } from 'hono/jsx/dom'
import type { components } from '../../client/api.ts'
import { call, type RefusedCall } from './call.ts'
import { frame, islandElement } from './frame.ts'
import { storedKey } from './key.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { About } from './project/about.tsx'
import { Browser } from './project/browser.tsx'
import { useLoaded } from './use-loaded.ts'

type Project = components['schemas']['Project']

const name = `${frame.owner}/${frame.project}`

function ProjectPage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const { value: project, refusal } = useLoaded<Project>(`${keyNumber}`, (signal) =>
    call<Project>(`v1/projects/${name}`, { signal }).then(({ data }) => data),
  )
  return (
    <>
      <div class="head">
        <h1>
          <span class="owner">{frame.owner} / </span>
          {frame.project}
        </h1>
        {(refusal === undefined || storedKey() !== undefined) && <KeyBar changed={changed} />}
      </div>
      {refusal !== undefined && <Refused refusal={refusal} changed={changed} />}
      {refusal === undefined && project !== undefined && <About project={project} />}
      {refusal === undefined && project !== undefined && (
        <p class="links">
          <a href={`${frame.project}/map`}>Map</a>
        </p>
      )}
      {refusal === undefined && project === undefined && <p class="soft">Loading…</p>}
      {refusal === undefined && (
        // It asks for the texts meanwhile.
        <div hidden={project === undefined}>
          <Browser key={keyNumber} name={name} project={project} />
        </div>
      )}
    </>
  )
}

interface RefusedProps {
  readonly refusal: RefusedCall
  readonly changed: () => void
}

/** The same for what does not exist and for what may not be read. */
function Refused({ refusal, changed }: RefusedProps) {
  const isPrivate = refusal.status === 401 && storedKey() === undefined
  return (
    <section class="panel">
      {isPrivate ? (
        <>
          <h2>A key is needed</h2>
          <p>
            This project is not public, or does not exist. Give the API key of somebody who may read
            it.
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

render(<ProjectPage />, islandElement())
