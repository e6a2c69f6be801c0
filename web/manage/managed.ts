import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { frame } from '../frame.ts'
import { toast } from '../toast.ts'

export interface Managed {
  readonly project: Schemas['Project']
  /** Loads the project anew. */
  readonly changed: () => void
}

export const projectPath = `v1/projects/${frame.name}`

/** @param words say that it is done */
export async function changeProjectFields(
  { changed }: Managed,
  body: object,
  words: string,
): Promise<void> {
  await call<unknown>(projectPath, { method: 'PATCH', body })
  toast(words)
  changed()
}
