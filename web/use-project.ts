import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { call } from './call.ts'
import { frame } from './frame.ts'
import { useLoaded } from './use-loaded.ts'

type Project = Schemas['Project']

/** Loads the project of the page, again for each key. */
export function useProject() {
  const name = `${frame.owner}/${frame.project}`
  const [keyNumber, count] = useState(0)
  const { value: project, refusal } = useLoaded<Project>(`${keyNumber}`, (signal) =>
    call<Project>(`v1/projects/${name}`, { signal }).then(({ data }) => data),
  )
  const changed = () => count((before) => before + 1)
  return { name, project, refusal, changed, caller: `${keyNumber}` }
}
