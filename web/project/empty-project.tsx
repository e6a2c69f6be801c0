import type { Schemas } from '../../clients/typescript/src/client.ts'
import { ButtonLink, Empty } from '../elements.tsx'
import { frame } from '../frame.ts'
import { Snippet, uploadSnippet } from './snippets.tsx'

interface EmptyProjectProps {
  readonly project: Schemas['Project']
  readonly mayWrite: boolean
}

/** Says how to fill a project, to those who may. */
export const EmptyProject = ({ project, mayWrite }: EmptyProjectProps) =>
  mayWrite ? (
    <section class="empty wide">
      <h2>This project has no texts yet</h2>
      <p>Upload a spreadsheet, Parquet or NDJSON file. Then you can search it and see its map.</p>
      <ButtonLink kind="primary" icon="upload" href={`${frame.base}explore/${frame.name}/upload`}>
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
