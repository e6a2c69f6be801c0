import type { Schemas } from '../clients/typescript/src/client.ts'
import { frame } from './frame.ts'
import { storedKey } from './key.ts'
import { KeyBar } from './key-bar.tsx'
import { Refused } from './refused.tsx'
import { useProject } from './use-project.ts'

type Project = Schemas['Project']

interface Props {
  /** The words before the project's name, such as `Near-duplicates in`. */
  readonly title: string
  /** @param caller changes with each key */
  readonly show: (project: Project, name: string, caller: string) => unknown
}

/**
 * The frame of a page about one project. It asks for a key if the project may not be read without
 * one.
 */
export function AboutProject({ title, show }: Props) {
  const { name, project, refusal, changed, caller } = useProject()
  return (
    <>
      <div class="head">
        <h1>
          <span class="owner">{title} </span>
          <a href={`${frame.base}explore/${name}`}>{name}</a>
        </h1>
        {(refusal === undefined || storedKey() !== undefined) && <KeyBar changed={changed} />}
      </div>
      {refusal !== undefined && <Refused refusal={refusal} changed={changed} />}
      {refusal === undefined && project === undefined && <p class="soft">Loading…</p>}
      {refusal === undefined && project !== undefined && show(project, name, caller)}
    </>
  )
}
