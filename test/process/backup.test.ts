import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { embedding } from '../support/factories.ts'
import { node, Program, type Runtime, semblance, toItsEnd } from '../support/servers/program.ts'
import {
  createProject,
  kill,
  request,
  runtimes,
  type Server,
  serve,
  startServer,
  stop,
} from '../support/servers/server.ts'
import { embeddedSite, newFolder, preparedSite, type Site } from '../support/servers/site.ts'

const batch = 20

/** Uploads batch after batch until it is told to stop. */
function startUploads(server: Server) {
  let stopped = false
  let stored = 0
  const ended = (async () => {
    for (let number = 0; !stopped; number += 1) {
      const embeddings = Array.from({ length: batch }, (_, index) =>
        embedding(`${number}-${index}`, [1, number, index]),
      )
      const { status } = await request(server, 'POST', '/v1/embeddings/ann/texts', { embeddings })
      expect(status).toBe(201)
      stored += batch
    }
  })()
  const end = () => {
    stopped = true
    return ended
  }
  return { end, stored: () => stored }
}

const backUp = (runtime: Runtime, site: Site, ...args: string[]) =>
  toItsEnd(semblance(runtime, ['backup', ...args], site))

/** Where the archive in this site's folder is unpacked, with the given files of the site beside it. */
async function unpack({ folder }: Site, name: string, ...files: string[]): Promise<Site> {
  const restored = await embeddedSite()
  const data = join(restored.folder, 'data')
  await mkdir(data)
  const args = ['-xf', join(folder, name), '-C', data]
  expect(await toItsEnd(new Program('tar', args, restored))).toMatchObject({ exit: 0, stderr: '' })
  expect((await readdir(data)).sort()).toEqual(['RESTORE.txt', 'pgdata'])
  for (const file of files) await cp(join(folder, 'data', file), join(data, file))
  return restored
}

const count = async (server: Server) =>
  Number(
    Object((await request(server, 'GET', '/v1/embeddings/ann/texts?limit=1')).body).total_count,
  )

const sanity = async (server: Server) =>
  (await request(server, 'GET', '/v1/admin/sanity-check')).body

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`semblance backup (${runtime.name})`, () => {
    it('backs up a server that runs and stores, as it was at one moment', async () => {
      const site = await preparedSite()
      const server = await startServer(runtime, site)
      await createProject(server, 3)
      const { body: ann } = await request(server, 'PUT', '/v1/users/ann', {})
      const uploads = startUploads(server)
      await vi.waitFor(() => expect(uploads.stored()).toBeGreaterThan(0), { timeout: 30_000 })
      const before = uploads.stored()
      const env = { ...site.env, SERVICE_PORT: new URL(server.url).port }
      const made = await backUp(runtime, { ...site, env }, 'it.tar')
      const after = uploads.stored() + batch
      await uploads.end()
      expect(made).toMatchObject({ exit: 0, stderr: '' })
      const key = join(site.folder, 'data/encryption.key')
      expect(made.stdout).toMatch(/^it\.tar has .* MB\), BUT NOT THE ENCRYPTION KEY,\n/)
      expect(made.stdout).toContain(`: ${key}\n`)
      expect((await stat(join(site.folder, 'it.tar'))).mode & 0o777).toBe(0o600)
      expect(existsSync(join(site.folder, 'data/pgdata.backup'))).toBe(false)

      const keyless = await toItsEnd(serve(runtime, await unpack(site, 'it.tar')))
      expect(keyless.exit).toBe(1)
      expect(keyless.stderr).toMatch(/encryption\.key/)
      const restored = await startServer(runtime, await unpack(site, 'it.tar', 'encryption.key'))
      const stored = await count(restored)
      expect(stored % batch).toBe(0)
      expect(stored).toBeGreaterThanOrEqual(before)
      expect(stored).toBeLessThanOrEqual(after)
      expect(await sanity(restored)).toMatchObject({ status: 'PASSED', issues: [] })
      expect(await request(restored, 'PUT', '/v1/users/ann', {})).toEqual({
        status: 200,
        body: ann,
      })
    })

    it('backs up what a server has left that was stopped or killed', async () => {
      const site = await preparedSite()
      const first = await startServer(runtime, site)
      await createProject(first, 3)
      await stop(first)
      expect(await backUp(runtime, site, 'stopped.tar')).toMatchObject({ exit: 0, stderr: '' })

      const second = await startServer(runtime, site)
      const embeddings = [embedding('a', [1, 2, 3])]
      await request(second, 'POST', '/v1/embeddings/ann/texts', { embeddings })
      await kill(second.program)
      expect(await backUp(runtime, site, 'killed.tar')).toMatchObject({ exit: 0, stderr: '' })

      for (const [name, stored] of Object.entries({ 'stopped.tar': 0, 'killed.tar': 1 })) {
        const restored = await startServer(runtime, await unpack(site, name, 'encryption.key'))
        expect(await count(restored)).toBe(stored)
        await stop(restored)
      }
    })

    it('is made once at a time, and a client that takes it slowly keeps nobody waiting', async () => {
      const site = await preparedSite()
      const server = await startServer(runtime, site)
      const ask = () =>
        fetch(`${server.url}/v1/admin/backup`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${server.key}` },
        })
      const slow = await ask()
      expect(slow.status).toBe(200)
      expect(slow.headers.get('content-type')).toBe('application/x-tar')
      expect(await request(server, 'POST', '/v1/admin/backup')).toMatchObject({
        status: 409,
        body: { detail: 'A backup is being made already; wait for it to end' },
      })
      await createProject(server, 3)
      await slow.body?.cancel()
      const next = await vi.waitFor(
        async () => {
          const answer = await ask()
          if (answer.status !== 200) await answer.text()
          expect(answer.status).toBe(200)
          return answer
        },
        { timeout: 30_000, interval: 200 },
      )
      expect((await next.arrayBuffer()).byteLength % 512).toBe(0)
      expect(existsSync(join(site.folder, 'data/pgdata.backup'))).toBe(false)
    })
  })
}

describe('semblance backup', () => {
  it('removes at a start what a killed server has left of one', async () => {
    const site = await preparedSite()
    const copy = join(site.folder, 'data/pgdata.backup')
    await mkdir(join(copy, 'base'), { recursive: true })
    await startServer(node, site)
    expect(existsSync(copy)).toBe(false)
  })

  it('refuses what it cannot do, and leaves nothing behind', async () => {
    const site = await preparedSite()
    const { url } = await startServer(node, site)
    const other = await newFolder()
    await writeFile(join(other, 'there.tar'), 'something else')
    const refused = async (args: string[], env: Record<string, string> = {}) => {
      const { exit, stdout, stderr } = await backUp(node, { ...site, folder: other, env }, ...args)
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
      expect(await readdir(other)).toEqual(['there.tar'])
      return stderr
    }
    const held = ['--data-dir', join(site.folder, 'data')]
    expect(await refused([])).toMatch(/^semblance: name the archive to make/)
    expect(await refused(['there.tar'])).toMatch(/^semblance: there.tar is there already/)
    expect(await refused(['a.tar', 'b.tar'])).toMatch(/^semblance: there is an argument too many/)
    expect(await refused(['a.tar', '--data-dir', '.'])).toMatch(/^semblance: there is no embedded/)
    expect(await refused(['a.tar'], { SERVICE_DBHOST: 'localhost' })).toMatch(/pg_dump/)
    expect(await refused(['a.tar', ...held], { SERVICE_PORT: '1' })).toMatch(
      /^semblance: there is no server at http:\/\/localhost:1; name it with --url\n$/,
    )
    const env = { SERVICE_ADMINKEY: 'not-the-administrators-key' }
    expect(await refused(['a.tar', '--url', url], env)).toMatch(/^semblance: \S+ answers 401: /)
  })
})
