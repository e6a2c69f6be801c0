import { frame } from './frame.ts'
import { storedKey } from './key.ts'
import { KeyBar } from './key-bar.tsx'
import { About } from './project/about.tsx'
import { Browser } from './project/browser.tsx'
import { Refused } from './refused.tsx'
import { useProject } from './use-project.ts'

export function ProjectPage() {
  const { name, project, refusal, changed, caller } = useProject()
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
          <a href={`${frame.project}/duplicates`}>Near-duplicates</a>
        </p>
      )}
      {refusal === undefined && project === undefined && <p class="soft">Loading…</p>}
      {refusal === undefined && (
        // The browser is rendered hidden, so that it loads the texts while the project is loading.
        <div hidden={project === undefined}>
          <Browser key={caller} name={name} project={project} />
        </div>
      )}
    </>
  )
}
