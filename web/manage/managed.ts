import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'

export interface Managed {
  readonly project: Schemas['Project']
  /** Says what is done, and loads the project anew. */
  readonly changed: (words: string) => void
}

export const projectPath = `v1/projects/${frame.name}`

/** @param words say that it is done */
export async function changeProjectFields(
  { changed }: Managed,
  body: object,
  words: string,
): Promise<void> {
  await call<unknown>(projectPath, { method: 'PATCH', body })
  changed(words)
}
