import { describe, expect, it } from 'vitest'
import { embedding } from '../support/factories.ts'
import { endless } from '../support/json-schema/hostile-schemes.ts'
import {
  createProject,
  request,
  stages,
  startServer,
  stop,
  upload,
} from '../support/servers/server.ts'

for (const { title, runtime, site } of stages) {
  describe(`metadataSchemes (${title})`, () => {
    it('run in threads that are replaced, and that keep no process alive', async () => {
      const server = await startServer(runtime, await site())
      await createProject(server, 3)
      const set = (scheme: object) =>
        request(server, 'PATCH', '/v1/projects/ann/texts', {
          metadataScheme: JSON.stringify(scheme),
        })
      const send = (textId: string, metadata: object) =>
        upload(server, embedding(textId, [1, 2, 3], { metadata }))

      expect(await set({ type: 'text' })).toMatchObject({ status: 422 })
      for (const textId of ['a', 'b']) {
        expect(await set({ required: ['book'] })).toMatchObject({ status: 200 })
        expect(await send(textId, { book: 'John' })).toMatchObject({ status: 201 })
        expect(await send(textId, {})).toMatchObject({ status: 400 })
        expect(await set(endless)).toMatchObject({ status: 200 })
        const refused = await send('c', {})
        expect(refused).toMatchObject({ status: 400 })
        expect(refused.body).toMatchObject({ detail: expect.stringContaining('1000 ms') })
      }
      await stop(server)
    })
  })
}
