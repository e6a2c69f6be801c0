import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Button, Facts } from './elements.tsx'
import { frame, storedKey } from './frame.ts'
import { Browser } from './project/browser.tsx'
import { ProjectFrame } from './project-frame.tsx'

export const ProjectPage = () => (
  <ProjectFrame
    heading={
      <>
        <span class="owner">{frame.owner} / </span>
        {frame.project}
      </>
    }
    show={(project, caller) => (
      <>
        {project !== undefined && <About project={project} />}
        {/* Rendered hidden, so that it loads the texts while the project is loading. */}
        <div hidden={project === undefined}>
          <Browser key={caller} project={project} />
        </div>
      </>
    )}
  />
)

const long = 280

function About({ project }: { readonly project: Schemas['Project'] }) {
  const [showsAll, showAll] = useState(false)
  const { description = '', model, dimensions, embedding_count: count } = project
  const isLong = description.length > long
  return (
    <>
      {description !== '' && (
        <p class={isLong && !showsAll ? 'description clamped' : 'description'}>{description}</p>
      )}
      {isLong && !showsAll && (
        <Button kind="quiet" act={() => showAll(true)}>
          Show all of the description
        </Button>
      )}
      <Facts
        facts={[
          ['Texts', count.toLocaleString('en-US')],
          ['Model', model],
          ['Dimensions', dimensions?.toLocaleString('en-US')],
          ['Read by', project.public_read ? 'everybody' : 'those it is shared with'],
          ['Since', project.created_at.slice(0, 10)],
        ]}
      />
      <p class="links">
        <a href={`${frame.project}/map`}>Map</a>
        <a href={`${frame.project}/duplicates`}>Near-duplicates</a>
        {storedKey() !== undefined && (
          <>
            <a href={`${frame.project}/upload`}>Upload</a>
            <a href={`${frame.project}/manage`}>Manage</a>
          </>
        )}
      </p>
    </>
  )
}
