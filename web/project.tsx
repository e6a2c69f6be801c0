import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Refused, useProject } from './about-project.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar } from './key-bar.tsx'
import { Browser } from './project/browser.tsx'

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

const long = 280

/** The project's description and key facts. */
function About({ project }: { readonly project: Schemas['Project'] }) {
  const [showsAll, showAll] = useState(false)
  const { description = '', model, dimensions, embedding_count: count } = project
  const facts: [string, string | undefined][] = [
    ['Texts', count.toLocaleString('en-US')],
    ['Model', model],
    ['Dimensions', dimensions?.toLocaleString('en-US')],
    ['Read by', project.public_read ? 'everybody' : 'those it is shared with'],
    ['Since', project.created_at.slice(0, 10)],
  ]
  const isLong = description.length > long
  return (
    <>
      {description !== '' && (
        <p class={isLong && !showsAll ? 'description clamped' : 'description'}>{description}</p>
      )}
      {isLong && !showsAll && (
        <button type="button" class="quiet" onClick={() => showAll(true)}>
          Show all of the description
        </button>
      )}
      <dl class="facts">
        {facts.map(
          ([term, fact]) =>
            fact !== undefined && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{fact}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
