import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Button } from './elements.tsx'
import { Browser } from './project/browser.tsx'
import { ProjectFrame } from './project-frame.tsx'

type Project = Schemas['Project']

export const ProjectPage = () => (
  <ProjectFrame
    isForTexts
    show={(project, caller) => (
      <>
        {project !== undefined && <Description of={project} />}
        {/* Rendered hidden, so that it loads the texts while the project is loading. */}
        <div hidden={project === undefined}>
          <Browser key={caller} project={project} />
        </div>
      </>
    )}
  />
)

const long = 280

function Description({ of: { description = '' } }: { readonly of: Project }) {
  const [showsAll, showAll] = useState(false)
  if (description === '') return null
  const isLong = description.length > long && !showsAll
  return (
    <>
      <p class={isLong ? 'description clamped' : 'description'}>{description}</p>
      {isLong && (
        <Button kind="quiet" act={() => showAll(true)}>
          Show all of the description
        </Button>
      )}
    </>
  )
}
