import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../test/shared/time.ts'
import type { Owner, Project } from '../api.ts'
import { createGenerator, toJson } from '../data.ts'

/** What the server keeps in memory of the only project, once its searches have had that read. */
export async function bytesInMemory(owner: Owner, project: Project): Promise<number> {
  const vector = toJson(createGenerator(project.dimensions).vectorAt(0))
  await owner.search(`${project.similars}?threshold=0`, `{"vector":${vector}}`)
  return within(ready(owner), 60_000, 'the vectors to be in memory')
}

async function ready({ server: { url, adminKey } }: Owner): Promise<number> {
  const headers = { Authorization: `Bearer ${adminKey}` }
  for (;;) {
    const text = await (await fetch(`${url}/metrics`, { headers })).text()
    const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
    if (figure('semblance_vector_memory_projects') > 0)
      return figure('semblance_vector_memory_bytes')
    await sleep(100)
  }
}
