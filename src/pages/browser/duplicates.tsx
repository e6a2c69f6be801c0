import { render, useState } from 'hono/jsx/dom'
import type { components } from '../../client/api.ts'
import { call } from './call.ts'
import { DuplicatesBrowser } from './duplicates/duplicates-browser.tsx'
import { frame, islandElement } from './frame.ts'
import { storedKey } from './key.ts'
import { KeyBar } from './key-bar.tsx'
import { Refused } from './refused.tsx'
import { useLoaded } from './use-loaded.ts'

type Project = components['schemas']['Project']

const name = `${frame.owner}/${frame.project}`

function DuplicatesPage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const { value: project, refusal } = useLoaded<Project>(`${keyNumber}`, (signal) =>
    call<Project>(`v1/projects/${name}`, { signal }).then(({ data }) => data),
  )
  return (
    <>
      <div class="head">
        <h1>
          <span class="owner">Near-duplicates in </span>
          <a href={`${frame.base}explore/${name}`}>{name}</a>
        </h1>
        {(refusal === undefined || storedKey() !== undefined) && <KeyBar changed={changed} />}
      </div>
      {refusal !== undefined && <Refused refusal={refusal} changed={changed} />}
      {refusal === undefined && project === undefined && <p class="soft">Loading…</p>}
      {refusal === undefined && project !== undefined && (
        <DuplicatesBrowser key={keyNumber} name={name} caller={`${keyNumber}`} />
      )}
    </>
  )
}

render(<DuplicatesPage />, islandElement())
