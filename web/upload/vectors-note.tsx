import type { Schemas } from '../../clients/typescript/src/client.ts'
import { Notice } from '../elements.tsx'
import { frame } from '../frame.ts'
import { useAnswer } from '../loading.ts'
import type { Framed } from '../project-frame.tsx'

/** Whether the project's provider makes vectors for the caller. */
export const mayEmbed = ({ project, mayManage }: Framed): boolean =>
  project.embeds_texts && (mayManage || project.text_queries !== 'off')

/** Says of texts without vectors what it means to have them made, or that nobody makes them. */
export const VectorsNote = ({ target, what }: NoteProps) =>
  mayEmbed(target) ? <Question {...{ target, what }} /> : <WaysOut {...{ target, what }} />

interface NoteProps {
  readonly target: Framed
  /** Such as `This file has no vectors`. */
  readonly what: string
}

function Question({ target: { project }, what }: NoteProps) {
  const { instance_owner: owner, instance_handle: handle } = project
  // Those who may not see the instance are not told its host.
  const { value } = useAnswer<Schemas['Instance']>(`v1/llm-services/${owner}/${handle}`)
  const host =
    value === undefined ? "the project's embedding provider" : new URL(value.endpoint).host
  return (
    <Notice kind="info">
      <strong>
        {what}. Create them with {project.model}?
      </strong>
      <p>The texts are sent to {host}, which may charge for them.</p>
    </Notice>
  )
}

function WaysOut({ target: { project, mayManage }, what }: NoteProps) {
  const { embeds_texts: isLocked, dimensions } = project
  const why = isLocked
    ? 'only the owner may have the model of this project create them'
    : 'this project has no model that could create them'
  return (
    <Notice kind="warning">
      <strong>
        {what}, and {why}.
      </strong>
      <ul>
        <li>
          Upload a file with a column of vectors
          {dimensions !== undefined && `, each a list of ${dimensions} numbers`}.
        </li>
        {isLocked && <li>Or ask {frame.owner} to let members search by meaning.</li>}
        {!isLocked && mayManage && (
          <li>
            Or add an embedding provider in <a href="manage">Manage</a>.{' '}
            <a href={`${frame.base}docs/guide/words#a-model-of-your-own`}>
              <code>semblance-client serve-model</code>
            </a>{' '}
            is one that runs on your own computer.
          </li>
        )}
        <li>
          Or upload from Python, where <code>embed=</code> creates the vectors first.
        </li>
      </ul>
    </Notice>
  )
}
