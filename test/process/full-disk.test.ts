import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandOf } from '../shared/search-path.ts'
import { embedding } from '../support/factories.ts'
import { toItsEnd } from '../support/servers/program.ts'
import {
  createProject,
  request,
  runtimes,
  serve,
  startServer,
  upload,
} from '../support/servers/server.ts'
import { preparedSite } from '../support/servers/site.ts'

/** For a disk that is full: no file of the process may reach beyond so many bytes any more. */
const limitFiles = (pid: number | undefined, bytes: string) =>
  execFileSync(`${commandOf('prlimit')}`, ['--pid', `${pid}`, `--fsize=${bytes}:`])

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined || commandOf('prlimit') === undefined)(
    `a full disk (${runtime.name})`,
    () => {
      it('is named while it is full, and the database goes on once there is room', async () => {
        const site = await preparedSite()
        const server = await startServer(runtime, site)
        await createProject(server, 3)
        const item = (textId: string) => embedding(textId, [1, 2, 3], { text: 'x'.repeat(2 ** 20) })
        expect(await upload(server, item('before'))).toMatchObject({ status: 201 })
        limitFiles(server.program.pid, '100000')
        for (const textId of ['one', 'two']) {
          expect(await upload(server, item(textId))).toMatchObject({
            status: 503,
            body: {
              detail: expect.stringMatching(/^The disk of the database is full; nothing is/),
            },
          })
        }
        limitFiles(server.program.pid, 'unlimited')
        expect(await upload(server, item('after'))).toMatchObject({ status: 201 })
        const { body } = await request(server, 'GET', '/v1/embeddings/ann/texts?include=')
        expect(body).toMatchObject({ embeddings: [{ text_id: 'after' }, { text_id: 'before' }] })
      })

      it('is the reason that a start gives, and not damage', async () => {
        const site = await preparedSite()
        const program = serve(runtime, site)
        limitFiles(program.pid, '8192')
        const { exit, stderr } = await toItsEnd(program)
        expect(exit).toBe(1)
        const last = `${stderr.split('\n').at(-2)}`
        expect(last).toMatch(
          /^semblance: the disk of \S+ is full; make room .* Nothing is damaged$/,
        )
        const next = await startServer(runtime, site)
        expect(await request(next, 'GET', '/v1/users')).toMatchObject({ status: 200 })
      })
    },
  )
}
