import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server as HttpServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandOf } from '../shared/search-path.ts'
import { embedding } from '../support/factories.ts'
import {
  Program,
  type Runtime,
  type Surroundings,
  semblance,
  toItsEnd,
} from '../support/servers/program.ts'
import {
  createProject,
  kill,
  request,
  runtimes,
  type Server,
  serve,
  startServer,
  stop,
  upload,
} from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { embeddedSite, newFolder, preparedSite, type Site } from '../support/servers/site.ts'
import { waitUntilPassing } from '../support/wait.ts'

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
      expect((await upload(server, ...embeddings)).status).toBe(201)
      stored += batch
    }
  })()
  const end = () => {
    stopped = true
    return ended
  }
  return { end, stored: () => stored }
}

const backUp = (runtime: Runtime, at: Surroundings, ...args: string[]) =>
  toItsEnd(semblance(runtime, ['backup', ...args], at))

/** Where the archive in this folder is unpacked, with the given files of its data beside it. */
async function unpack(folder: string, name: string, ...files: string[]): Promise<Site> {
  const restored = await embeddedSite()
  const data = join(restored.folder, 'data')
  await mkdir(data)
  const args = ['-xf', join(folder, name), '-C', data]
  expect(await toItsEnd(new Program('tar', args, restored))).toMatchObject({ exit: 0, stderr: '' })
  expect((await readdir(data)).sort()).toEqual(['RESTORE.txt', 'pgdata'])
  // The database may give it up while its files are copied.
  expect(await readdir(join(data, 'pgdata'))).not.toContain('semblance.spare')
  for (const file of files) await cp(join(folder, 'data', file), join(data, file))
  return restored
}

const count = async (server: Server) =>
  Number(
    Object((await request(server, 'GET', '/v1/embeddings/ann/texts?limit=1')).body).total_count,
  )

const sanity = async (server: Server) =>
  (await request(server, 'GET', '/v1/admin/sanity-check')).body

const portOf = (server: HttpServer) => Object(server.address()).port

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`semblance backup (${runtime.name})`, () => {
    let folder = ''
    const running = sharedServer(runtime, async (atEnd) => {
      const site = await preparedSite(atEnd)
      folder = site.folder
      // As a server leaves it that is killed while it makes a backup.
      await mkdir(join(folder, 'data/pgdata.backup/base'), { recursive: true })
      return site
    })

    it('removes at a start what a killed server has left of one', () => {
      expect(existsSync(join(folder, 'data'))).toBe(true)
      expect(existsSync(join(folder, 'data/pgdata.backup'))).toBe(false)
    })

    it('backs up a server that runs and stores, as it was at one moment', async () => {
      const server = running()
      await createProject(server, 3)
      const { body: ann } = await request(server, 'PUT', '/v1/users/ann', {})
      const uploads = startUploads(server)
      await expect.poll(uploads.stored).toBeGreaterThan(0)
      const before = uploads.stored()
      const env = { SERVICE_PORT: new URL(server.url).port }
      const made = await backUp(runtime, { folder, env }, 'it.tar')
      const after = uploads.stored() + batch
      await uploads.end()
      expect(made).toMatchObject({ exit: 0, stderr: '' })
      const key = join(folder, 'data/encryption.key')
      expect(made.stdout).toMatch(/^it\.tar has .* MB\), BUT NOT THE ENCRYPTION KEY,\n/)
      expect(made.stdout).toContain(`: ${key}\n`)
      expect((await stat(join(folder, 'it.tar'))).mode & 0o777).toBe(0o600)
      expect(existsSync(join(folder, 'data/pgdata.backup'))).toBe(false)

      const keyless = await toItsEnd(serve(runtime, await unpack(folder, 'it.tar')))
      expect(keyless.exit).toBe(1)
      expect(keyless.stderr).toMatch(/encryption\.key/)
      const restored = await startServer(runtime, await unpack(folder, 'it.tar', 'encryption.key'))
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

    it.each([
      ['stopped', 0],
      ['killed', 1],
    ])('backs up what a server has left that was %s', async (end, stored) => {
      const site = await preparedSite()
      const server = await startServer(runtime, site)
      await createProject(server, 3)
      if (stored > 0) await upload(server, embedding('a', [1, 2, 3]))
      await (end === 'killed' ? kill(server.program) : stop(server))
      expect(await backUp(runtime, site, 'it.tar')).toMatchObject({ exit: 0, stderr: '' })
      const restored = await unpack(site.folder, 'it.tar', 'encryption.key')
      expect(await count(await startServer(runtime, restored))).toBe(stored)
    })

    it.skipIf(commandOf('prlimit') === undefined)(
      'leaves nothing behind where there is no room for the archive',
      async () => {
        const site = await preparedSite()
        const program = semblance(runtime, ['backup', 'it.tar'], site)
        // More than a file of the database has, less than all of them.
        const limit = ['--pid', `${program.pid}`, '--fsize=20000000']
        execFileSync(`${commandOf('prlimit')}`, limit)
        const { exit, stderr } = await toItsEnd(program)
        expect(exit).toBe(1)
        expect(stderr).toMatch(/^semblance: it.tar was not made: .*\n$/)
        expect(await readdir(site.folder)).toEqual(['data'])
        expect((await readdir(join(site.folder, 'data'))).toSorted()).toEqual([
          'admin.key',
          'encryption.key',
          'pgdata',
        ])
      },
    )

    it('says that it was not made, where there is a file in place of its folder', async () => {
      const site = await preparedSite()
      await writeFile(join(site.folder, 'file'), '')
      const { exit, stderr } = await backUp(runtime, site, 'file/it.tar')
      expect(exit).toBe(1)
      expect(stderr).toMatch(/^semblance: file\/it.tar was not made: .*\n$/)
    })

    it('is made once at a time, and a client that takes it slowly keeps nobody waiting', async () => {
      const server = running()
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
      expect(await request(server, 'PUT', '/v1/users/bob', {})).toMatchObject({ status: 201 })
      await slow.body?.cancel()
      const next = await waitUntilPassing(async () => {
        const answer = await ask()
        if (answer.status !== 200) await answer.text()
        expect(answer.status).toBe(200)
        return answer
      }, 200)
      expect((await next.arrayBuffer()).byteLength % 512).toBe(0)
      expect(existsSync(join(folder, 'data/pgdata.backup'))).toBe(false)
    })

    it('refuses what it cannot do, and leaves nothing behind', async () => {
      const { url } = running()
      const other = await newFolder()
      await writeFile(join(other, 'there.tar'), 'something else')
      const refused = async (args: string[], env: Record<string, string> = {}) => {
        const { exit, stdout, stderr } = await backUp(runtime, { folder: other, env }, ...args)
        expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
        expect(await readdir(other)).toEqual(['there.tar'])
        return stderr
      }
      const held = ['--data-dir', join(folder, 'data')]
      expect(await refused([])).toMatch(/^semblance: name the archive to make/)
      expect(await refused(['there.tar'])).toMatch(/^semblance: there.tar is there already/)
      expect(await refused(['a.tar', 'b.tar'])).toMatch(/^semblance: there is an argument too many/)
      expect(await refused(['a.tar', '--data-dir', '.'])).toMatch(
        /^semblance: there is no embedded/,
      )
      expect(await refused(['a.tar'], { SERVICE_DBHOST: 'localhost' })).toMatch(/pg_dump/)
      expect(await refused(['a.tar', ...held], { SERVICE_PORT: '1' })).toMatch(
        /^semblance: there is no server at http:\/\/localhost:1; the one that uses .*data is at another address; name it with --url\n$/,
      )
      expect(await refused(['a.tar', '--url', 'http://['])).toMatch(/^semblance: --url must be /)
      const page = createServer((_, answer) => void answer.end('<html></html>')).listen(0, '::1')
      onTestFinished(() => void page.close())
      await once(page, 'listening')
      const env = { SERVICE_ADMINKEY: 'not-the-administrators-key' }
      expect(await refused(['a.tar', '--url', `http://[::1]:${portOf(page)}`], env)).toMatch(
        /^semblance: \S+ answers 200, but no backup; .*\n$/,
      )
      expect(await refused(['a.tar', '--url', url], env)).toMatch(/^semblance: \S+ answers 401: /)
    })
  })
}
