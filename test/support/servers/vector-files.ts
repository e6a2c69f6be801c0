import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, vi } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { cacheLimits } from '../app.ts'
import { isFromMemory } from '../data/cached.ts'
import { rankedBy } from '../data/vectors.ts'
import { watch } from '../secrets/watch.ts'
import { waitUntil } from '../wait.ts'
import { askerOf, makeProject } from './own-projects.ts'
import { startBeside, startOwnService } from './own-service.ts'
import { newFolder } from './site.ts'

/** What the threads of vectors are told from now on. */
export function messages() {
  const told = vi.spyOn(Worker.prototype, 'postMessage')
  const sent = (what: string) =>
    told.mock.calls.filter(([message]) => message?.request?.do === what).length
  return { told, sent }
}

export const path = '/v1/embeddings/ann/texts'

type Service = Pick<Awaited<ReturnType<typeof startOwnService>>, 'app' | 'document' | 'vectorCache'>

export type WithVectorFiles = Awaited<ReturnType<typeof startWithVectorFiles>>

/** A service that keeps the vectors of a project, which is empty yet, in files. */
export async function startWithVectorFiles(dimensions: number, exactBudget: number) {
  const random = randomNumbers(31)
  const newVector = (length = dimensions) =>
    Array.from({ length }, () => Math.fround(random() - 0.5))
  const settingsFor = (folder: string) => ({
    cacheLimits: { ...cacheLimits, files: { folder, fewestComponents: 1 }, exactBudget },
  })
  const folder = join(await newFolder(), 'vectors')
  const own = await startOwnService(settingsFor(folder))

  const request = (service: Service, method: string, to: string, body?: unknown) =>
    askerOf(service)(method, to, body)
  await makeProject(askerOf(own), 'ann/texts', dimensions)

  const world = {
    own,
    folder,
    /** What the project holds, by text_id. */
    stored: new Map<string, number[]>(),
    request,

    async upload(
      ids: readonly string[],
      service: Service = own,
      length = dimensions,
    ): Promise<void> {
      const embeddings = ids.map((text_id) => ({ text_id, vector: newVector(length) }))
      const instance_handle = length === dimensions ? 'model' : 'larger'
      const body = { instance_handle, vector_dim: length, embeddings }
      const { status } = await request(service, 'POST', `${path}?on_conflict=replace`, body)
      expect(status).toBeLessThan(300)
      for (const { text_id, vector } of embeddings) world.stored.set(text_id, vector)
    },

    /** The same server, started anew, or another one with its files in another folder. */
    restarted(itsFolder = folder, log = watch.log()): Service {
      const service = startBeside(own, { ...settingsFor(itsFolder), log })
      service.vectorCache.start()
      return service
    },

    /** Searches once. @returns whether memory has answered */
    async isInMemory(service: Service, length?: number): Promise<boolean> {
      const body = { vector: newVector(length) }
      return isFromMemory(await request(service, 'POST', '/v1/similars/ann/texts', body))
    },

    untilInMemory: (service: Service, length?: number) =>
      waitUntil(() => world.isInMemory(service, length)),

    /** Searches by a vector in memory, and compares with what is stored. */
    async expectTruth(service: Service, length = dimensions): Promise<void> {
      for (let time = 0; time < 5; time += 1) {
        const vector = newVector(length)
        const body = { vector, threshold: 0, limit: 10 }
        const { body: answer } = await request(service, 'POST', '/v1/similars/ann/texts', body)
        const stored = [...world.stored].map(([text_id, other]) => ({ text_id, vector: other }))
        const nearest = rankedBy(vector, stored).slice(0, 10)
        expect(answer.results.map(({ id }: { id: string }) => id)).toEqual(
          nearest.map(({ id }) => id),
        )
      }
    },

    files: async (itsFolder = folder) =>
      (await readdir(itsFolder)).map((name) => join(itsFolder, name)),
  }
  return world
}
