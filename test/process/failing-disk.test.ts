import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { embedding } from '../support/factories.ts'
import { node } from '../support/servers/program.ts'
import { createProject, kill, request, startServer, upload } from '../support/servers/server.ts'
import { preparedSite } from '../support/servers/site.ts'

const embeddings = '/v1/embeddings/ann/texts'
const preload = fileURLToPath(new URL('../support/servers/failing-disk.js', import.meta.url))
/** Bun preloads nothing into threads. */
const runtime = { ...node, flags: [...node.flags, '--import', preload] }

it('acknowledges nothing that is not on a disk that fails, and goes on by itself', async () => {
  const prepared = await preparedSite()
  const failing = join(prepared.folder, 'failing')
  const env = { SERVICE_DURABILITY: 'full', FAILING_DISK: failing }
  const site = { ...prepared, env }
  const server = await startServer(runtime, site)
  await createProject(server, 3)
  const item = (textId: string) => embedding(textId, [1, 2, 3])

  expect(await upload(server, item('before'))).toMatchObject({ status: 201 })
  writeFileSync(failing, 'EIO')
  // What only reads needs no disk.
  expect(await request(server, 'GET', `${embeddings}/before`)).toMatchObject({ status: 200 })
  expect(await request(server, 'GET', '/v1/similars/ann/texts/before')).toMatchObject({
    status: 200,
  })
  const detail = 'The embedded database was restarted; try again'
  expect(await upload(server, item('lost'))).toMatchObject({ status: 503, body: { detail } })
  await server.program.said(/\/pg_wal\/\w+ could not be brought to the disk: .*EIO/)
  rmSync(failing)
  expect(await upload(server, item('between'))).toMatchObject({ status: 201 })
  writeFileSync(failing, 'ENOSPC')
  const full = expect.stringMatching(/^The disk of the database is full/)
  expect(await upload(server, item('full'))).toMatchObject({ status: 503, body: { detail: full } })
  rmSync(failing)
  expect(await upload(server, item('after'))).toMatchObject({ status: 201 })
  await kill(server.program)

  // Now that it is to be so: what is written is on no disk.
  writeFileSync(failing, 'EIO')
  const relaxed = { ...site, env: { ...env, SERVICE_DURABILITY: 'relaxed' } }
  const careless = await startServer(runtime, relaxed)
  expect(await upload(careless, item('careless'))).toMatchObject({ status: 201 })
  await kill(careless.program)
  rmSync(failing)

  const next = await startServer(runtime, site)
  // What was answered 503 may be there as well: it was on its way to the disk.
  for (const textId of ['before', 'between', 'after', 'careless']) {
    const path = `${embeddings}/${textId}`
    expect(await request(next, 'GET', path)).toMatchObject({ status: 200 })
  }
})
