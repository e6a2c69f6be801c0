import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../shared/ports.ts'
import { commandOf } from '../shared/search-path.ts'
import { occupyPort } from '../support/servers/ports.ts'
import {
  builtMain,
  node,
  Program,
  type Runtime,
  refused,
  semblance,
  toItsEnd,
  usual,
} from '../support/servers/program.ts'
import { kill, listening, runtimes, startServer } from '../support/servers/server.ts'
import { givenKeys, newFolder, preparedSite } from '../support/servers/site.ts'

const tooMany =
  'there is an argument too many; a value follows its flag, that of a switch after "=" as in --debug=false'
const badFlags: [args: string, message: string][] = [
  ['frobnicate', "unknown command 'frobnicate'; see semblance --help"],
  ['serve --nonsense 1', 'unknown flag --nonsense; see --help'],
  ['serv', "unknown command 'serv'; did you mean serve?"],
  [
    'rotate_encryption_keys',
    "unknown command 'rotate_encryption_keys'; did you mean rotate-encryption-key?",
  ],
  ['--port 1', '--port must follow a command, as in semblance serve --port'],
  ['--admin-key=secret', '--admin-key must follow a command, as in semblance serve --admin-key'],
  ['serve -x', 'unknown flag -x; see --help'],
  ['constructor', "unknown command 'constructor'; see semblance --help"],
  ['serve --constructor', 'unknown flag --constructor; see --help'],
  ['serve --__proto__=1', 'unknown flag --__proto__; see --help'],
  ['serve --p x', '--port must be a whole number between 0 and 65535'],
  ['serve --p=0 --d=maybe', '--debug must be true or false'],
  ['serve --prot 1', 'unknown flag --prot; did you mean --port?'],
  ['serve -port 1', 'unknown flag -port; did you mean --port?'],
  ['serve --datadir=secret', 'unknown flag --datadir; did you mean --data-dir?'],
  ['openapi --fromat json', 'unknown flag --fromat; did you mean --format?'],
  ['serve --no-nonsense', 'unknown flag --no-nonsense; see --help'],
  ['serve --encryption-key secret', 'unknown flag --encryption-key; see --help'],
  [
    'rotate-encryption-key --new-encryption-key=secret',
    'unknown flag --new-encryption-key; see --help',
  ],
  ['serve leftover', tooMany],
  ['serve --debug false', tooMany],
  ['version leftover', tooMany],
  ['serve --host', '--host needs a value'],
  ['serve --host --port 1', '--host needs a value'],
  ['serve --port=', '--port needs a value'],
  ['serve --no-data-dir', 'unknown flag --no-data-dir; did you mean --data-dir?'],
  ['serve -p 65536', '--port must be between 0 and 65535'],
  ['serve --no-debug --db-port=x', '--db-port must be a whole number between 1 and 65535'],
  ['serve --dbPort=1', 'unknown flag --dbPort; did you mean --db-port?'],
  ['openapi --format xml', '--format must be yaml or json'],
]

/** What only a start finds out, and one of those that test/unit/config.test.ts has. */
const badSettings: [env: Record<string, string>, message: string][] = [
  [{ SERVICE_PORT: 'http' }, 'SERVICE_PORT must be a whole number between 0 and 65535'],
  [
    { SERVICE_ADMIN_KEY: givenKeys.SERVICE_ADMINKEY },
    'unknown setting SERVICE_ADMIN_KEY in the environment; did you mean SERVICE_ADMINKEY?',
  ],
  [
    { SERVICE_WORKERS: '2' },
    'SERVICE_WORKERS (--workers) must be 1 with the embedded database, which one process alone can open; for more name a PostgreSQL with SERVICE_DATABASE_URL or SERVICE_DBHOST',
  ],
  [
    { SERVICE_DBSSLMODE: 'verify-ca', SERVICE_DBSSLROOTCERT: '/nowhere', ...givenKeys },
    'SERVICE_DBSSLROOTCERT must name a file of PEM certificates; /nowhere cannot be read (ENOENT)',
  ],
  [
    { SERVICE_DBSSLMODE: 'verify-ca', SERVICE_DBSSLROOTCERT: '/dev/null', ...givenKeys },
    'SERVICE_DBSSLROOTCERT must name a file of PEM certificates; there is none in /dev/null',
  ],
  [
    { SERVICE_DBHOST: 'db', ENCRYPTION_KEY: givenKeys.ENCRYPTION_KEY },
    'SERVICE_ADMINKEY is missing; set it to at least 16 characters',
  ],
  [
    { SERVICE_DATABASE: 'postgres', SERVICE_ADMINKEY: givenKeys.SERVICE_ADMINKEY },
    'ENCRYPTION_KEY is missing; set it to at least 32 characters',
  ],
]

/** Numbers of processes, a list of them and a network of its own, as a container has; what kills it kills all in it. */
const newContainer = ['--pid', '--fork', '--kill-child', '--mount-proc', '--net']
const unshare = commandOf('unshare')
const container =
  unshare !== undefined && spawnSync(unshare, [...newContainer, 'true']).status === 0
    ? unshare
    : undefined
if (container === undefined) {
  process.stderr.write(
    'SKIPPED: unshare makes no namespaces here, so no lock is tried across them\n',
  )
}

type Env = Record<string, string>
const runOn = async (runtime: Runtime, args: string[], env: Env = {}, folder?: string) =>
  toItsEnd(semblance(runtime, args, { folder: folder ?? (await newFolder()), env }))

for (const runtime of runtimes) {
  const run = (args: string[], env?: Env, folder?: string) => runOn(runtime, args, env, folder)
  /** Each starts a process, and what reads words is the same on both runtimes. */
  const few = (_: unknown, index: number) => runtime === usual || index % 6 === 0

  describe.skipIf(runtime.command === undefined)(`a start is refused (${runtime.name})`, () => {
    it.each(badFlags.filter(few))('for wrong words: %s', async (args, message) => {
      expect(await run(args.split(' '))).toEqual(refused(message))
    })

    it.each(badSettings.filter(few))('for a wrong setting: %o', async (env, message) => {
      const folder = await newFolder()
      expect(await run(['serve'], env, folder)).toEqual(refused(message))
      expect(await readdir(folder), 'nothing is left behind').toEqual([])
    })

    it('in a folder that another process uses', async () => {
      const site = await preparedSite()
      const { program } = await startServer(runtime, site)
      const folder = join(site.folder, 'data')
      const second = await run(['serve', '--port', '0', '--data-dir', folder])
      const message = `the folder ${folder} is in use by process ${program.pid}; stop it or choose another with SERVICE_DATADIR`
      expect(second).toEqual(refused(message))
      const env = { NEW_ENCRYPTION_KEY: givenKeys.ENCRYPTION_KEY }
      expect(await run(['rotate-encryption-key'], env, site.folder)).toEqual(refused(message))
    })

    it.skipIf(container === undefined)(
      'in a folder that a process in another container uses, until that is killed',
      async () => {
        const site = await preparedSite()
        const folder = join(site.folder, 'data')
        const { program } = await startServer(runtime, site)
        // A new container has no loopback device, without which ::1 is no address.
        const serve = ['serve', '--host', '127.0.0.1', '--port', '0']
        const args = [...runtime.flags, builtMain, ...serve]
        const inside = () => {
          const command = [...newContainer, `${runtime.command}`, ...args]
          const started = new Program(`${container}`, command, site)
          onTestFinished(() => kill(started))
          return started
        }
        const message = `the folder ${folder} is in use by a process in another container; stop it or choose another with SERVICE_DATADIR`
        expect(await toItsEnd(inside())).toEqual(refused(message))
        await kill(program)
        await listening(inside(), site)
        expect(await run(['migrate'], {}, site.folder)).toEqual(refused(message))
      },
    )

    it('in a folder that cannot be made', async () => {
      const folder = await newFolder()
      await writeFile(join(folder, 'file'), '')
      const { stderr, ...rest } = await run(['serve', '--data-dir', 'file/data'], {}, folder)
      expect(rest).toEqual({ exit: 1, stdout: '' })
      expect(stderr).toMatch(/^semblance: the folder \S*file\/data cannot .*SERVICE_DATADIR\n$/)
    })

    it('where there is no room for a new database, and leaves none of its files', async () => {
      const folder = await newFolder()
      const limited = 'ulimit -f 100; exec "$@"'
      const command = [`${runtime.command}`, ...runtime.flags, builtMain, 'serve', '--port', '0']
      const program = new Program('sh', ['-c', limited, 'sh', ...command], { folder, env: {} })
      const data = join(folder, 'data')
      const message = `a new embedded database could not be made in ${data}, where it takes some 50 MB; make room or choose another folder with SERVICE_DATADIR`
      const { stderr, ...rest } = await toItsEnd(program)
      expect(rest).toEqual({ exit: 1, stdout: '' })
      expect(stderr.split('\n').at(-2)).toBe(`semblance: ${message}`)
      expect(await readdir(data)).toEqual([])
    })

    it('on a port that is taken', async () => {
      const port = await occupyPort()
      const { folder } = await preparedSite()
      const args = ['serve', '--host', '127.0.0.1', '--port', `${port}`]
      const message = `port ${port} on 127.0.0.1 is in use; choose another with SERVICE_PORT or --port`
      expect(await run(args, {}, folder)).toEqual(refused(message))
      const empty = await newFolder()
      expect(await run(args, {}, empty)).toEqual(refused(message))
      expect(await readdir(empty), 'nothing is left behind').toEqual([])
    })

    it.each(['migrate', 'rotate-encryption-key'])('of %s without a folder', async (command) => {
      const folder = await newFolder()
      const env = { NEW_ENCRYPTION_KEY: givenKeys.ENCRYPTION_KEY }
      const message = `there is no folder ${join(folder, 'typo')} with an embedded database; check SERVICE_DATADIR, or name PostgreSQL with the SERVICE_DB* settings`
      expect(await run([command, '--data-dir', 'typo'], env, folder)).toEqual(refused(message))
      expect(await readdir(folder), 'nothing is made').toEqual([])
    })
  })
}

describe('a start on existing data is refused', () => {
  it('without the file of its key, and never with a new one', async () => {
    const { folder } = await preparedSite()
    const file = join(folder, 'data/encryption.key')
    const key = await readFile(file, 'utf8')
    await rm(file)
    const message = `${file} is missing, and this database does not open without the key in it; restore the file from a backup, or set ENCRYPTION_KEY to that key`
    expect(await runOn(node, ['serve'], {}, folder)).toEqual(refused(message))
    expect(await readdir(join(folder, 'data'))).toEqual(['admin.key', 'pgdata'])
    const migrated = await runOn(node, ['migrate'], { ENCRYPTION_KEY: key }, folder)
    expect(migrated).toMatchObject({ exit: 0 })

    await writeFile(file, givenKeys.ENCRYPTION_KEY)
    const other = `the key in ${file} is not the one that this database was set up with; restore that file, or set ENCRYPTION_KEY to the original key`
    expect(await runOn(node, ['serve'], {}, folder)).toEqual(refused(other))
  })

  it('with a data folder that holds something else', async () => {
    const folder = await newFolder()
    await mkdir(join(folder, 'data/pgdata'), { recursive: true })
    await writeFile(join(folder, 'data/pgdata/PG_VERSION'), 'garbage')
    const { stderr, ...rest } = await runOn(node, ['serve'], {}, folder)
    expect(rest).toEqual({ exit: 1, stdout: '' })
    expect(stderr).toMatch(/^semblance: the embedded database in \S+ .*SERVICE_DATADIR\n$/)
  })
})

it('a database that does not answer is told of while it is waited for', async () => {
  const port = await freePort()
  const env = { SERVICE_DBHOST: '127.0.0.1', SERVICE_DBPORT: `${port}`, ...givenKeys }
  const program = semblance(node, ['serve', '--port=0'], { folder: await newFolder(), env })
  onTestFinished(() => kill(program))
  for (const seconds of [2, 7]) {
    await program.said(
      new RegExp(`PostgreSQL at 127.0.0.1:${port} has not answered for ${seconds} s `),
    )
  }
  expect(program.stdout).toBe('')
})
