import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { within } from '../../test/shared/time.ts'
import { call, type Owner, type Project } from '../api.ts'
import { createGenerator, toJson } from '../data.ts'

const Overview = z.object({
  memory: z.object({
    bytes: z.number(),
    projects: z.array(z.object({ is_ready: z.boolean() })),
  }),
})

/** What the server keeps in memory of the only project, once its searches have had that read. */
export async function bytesInMemory(owner: Owner, project: Project): Promise<number> {
  const vector = toJson(createGenerator(project.dimensions).vectorAt(0))
  await owner.search(`${project.similars}?threshold=0`, `{"vector":${vector}}`)
  return within(ready(owner), 60_000, 'the vectors to be in memory')
}

async function ready({ server: { url, adminKey } }: Owner): Promise<number> {
  for (;;) {
    const { answer } = await call(url, adminKey, 'GET', '/v1/admin/overview')
    const { memory } = Overview.parse(answer)
    if (memory.projects.some(({ is_ready }) => is_ready)) return memory.bytes
    await sleep(100)
  }
}
