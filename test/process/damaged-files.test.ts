import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { embedding } from '../support/factories.ts'
import { toItsEnd } from '../support/servers/program.ts'
import {
  createProject,
  request,
  runtimes,
  serve,
  startServer,
  stop,
  upload,
} from '../support/servers/server.ts'
import { preparedSite, type Site } from '../support/servers/site.ts'

const embeddings = '/v1/embeddings/ann/texts'
/** Of tables that are not PostgreSQL's own, and of its list of databases. */
const [tables, databases] = [/^\d{5}$/, /^1262$/]

/** Changes a text in the one of these files of the database that has it. @returns the file */
function damage({ folder }: Site, below: string, names: RegExp, text: string): string {
  const files = join(folder, 'data/pgdata', below)
  const [name = '', ...others] = readdirSync(files)
    .filter((name) => names.test(name))
    .filter((name) => readFileSync(join(files, name)).includes(text))
  expect([name, others]).toEqual([expect.stringMatching(names), []])
  const bytes = readFileSync(join(files, name))
  const at = bytes.indexOf(text)
  writeFileSync(join(files, name), bytes.fill('!', at, at + text.length))
  return `${below}/${name}`
}

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`damaged files (${runtime.name})`, () => {
    it('are not answered from: 503, and the log names the file', async () => {
      const site = await preparedSite()
      const server = await startServer(runtime, site)
      await createProject(server, 3)
      const texts = ['one', 'two'].map((id) => embedding(id, [1, 2, 3], { text: `${id} needle` }))
      await upload(server, ...texts)
      await stop(server)
      // A busy machine may have left the texts in the log: this start brings them to their file.
      await stop(await startServer(runtime, site))
      const file = damage(site, 'base/5', tables, 'two needle')

      const next = await startServer(runtime, site)
      const detail = expect.stringMatching(/^A file of the database is damaged/)
      for (const path of [`${embeddings}/one`, embeddings, '/v1/similars/ann/texts/one']) {
        expect(await request(next, 'GET', path)).toMatchObject({ status: 503, body: { detail } })
      }
      await next.program.said(new RegExp(`invalid page in block 0 of relation .{0,2}${file}`))
      expect(await request(next, 'GET', '/v1/users')).toMatchObject({ status: 200 })
    })

    it('end a start that needs them, which names the file', async () => {
      const site = await preparedSite()
      const file = damage(site, 'global', databases, 'template0')
      const { exit, stderr } = await toItsEnd(serve(runtime, site))
      expect(exit).toBe(1)
      expect(stderr.split('\n').at(-2)).toMatch(
        new RegExp(`did not open: invalid page in block 0 of relation "${file}"; restore`),
      )
    })
  })
}
