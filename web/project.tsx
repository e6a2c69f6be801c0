import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { Button, ButtonLink, Empty } from './elements.tsx'
import { frame } from './frame.ts'
import { Browser } from './project/browser.tsx'
import { Snippet, uploadSnippet } from './project/snippets.tsx'
import { ProjectFrame } from './project-frame.tsx'

type Project = Schemas['Project']

export const ProjectPage = () => (
  <ProjectFrame
    show={(project, caller, { mayWrite }) => (
      <>
        {project !== undefined && <Description of={project} />}
        {project?.embedding_count === 0 ? (
          <EmptyProject project={project} mayWrite={mayWrite} />
        ) : (
          // Rendered hidden, so that it loads the texts while the project is loading.
          <div hidden={project === undefined}>
            <Browser key={caller} project={project} />
          </div>
        )}
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

interface EmptyProjectProps {
  readonly project: Project
  readonly mayWrite: boolean
}

const EmptyProject = ({ project, mayWrite }: EmptyProjectProps) =>
  mayWrite ? (
    <section class="empty wide">
      <h2>This project has no texts yet</h2>
      <p>Upload a spreadsheet, Parquet or NDJSON file. Then you can search it and see its map.</p>
      <ButtonLink kind="primary" icon="upload" href={`${frame.project}/upload`}>
        Upload a file
      </ButtonLink>
      <p>Or upload from Python:</p>
      <Snippet id="upload" code={uploadSnippet(project)} />
    </section>
  ) : (
    <Empty title="This project has no texts yet">
      <p>Its owner, {frame.owner}, has not uploaded any.</p>
    </Empty>
  )
