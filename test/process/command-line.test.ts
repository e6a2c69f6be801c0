import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { settings } from '../../src/config/settings.ts'
import { builtMain, Program, semblance, toItsEnd } from '../support/servers/program.ts'
import { runtimes } from '../support/servers/server.ts'
import { newFolder } from '../support/servers/site.ts'

const good = { exit: 0, stderr: '' }

const commands = 'serve migrate move rotate-encryption-key backup openapi smoke version'.split(' ')

for (const runtime of runtimes) {
  const run = async (args: string[], env: Record<string, string> = {}, folder?: string) =>
    toItsEnd(semblance(runtime, args, { folder: folder ?? (await newFolder()), env }))
  /** What another program makes of the output. */
  const piped = async (args: string[], reader: string) => {
    const { command = '', flags } = runtime
    const line = ['-c', `"$@" | ${reader}`, 'sh', command, ...flags, builtMain, ...args]
    return toItsEnd(new Program('sh', line, { folder: await newFolder(), env: {} }))
  }

  describe.skipIf(runtime.command === undefined)(`the command line (${runtime.name})`, () => {
    /** The settings that a help lists, each with its flag, environment name and default. */
    const listed = (stdout: string) => {
      const entries = stdout.slice(stdout.indexOf('SETTINGS')).split(/\n(?= {2,6}[-(])/)
      const rows = entries.map((entry) => entry.replaceAll(/\s+/g, ' '))
      return Object.values(settings).filter((setting) => {
        const row = rows.find((candidate) => candidate.includes(` ${setting.env} `))
        if (row === undefined) return false
        expect(row).toContain('flag' in setting ? ` --${setting.flag}` : '(no flag)')
        if ('alias' in setting) expect(row).toContain(` -${setting.alias}, `)
        expect(row).toContain(`(default: ${setting.default})`)
        return true
      })
    }

    const forHelp = ['--help', 'serve --help']
    it.each(forHelp)(
      'lists all settings with flag, environment name, default: %s',
      async (line) => {
        const { stdout, ...rest } = await run(line.split(' '))
        expect(rest).toEqual(good)
        expect(listed(stdout)).toEqual(Object.values(settings))
        expect(stdout, 'no colours where there is no terminal').not.toContain('\u001b')
      },
    )

    it('leaves its output open for what a script prints afterwards', async () => {
      const script = `"${runtime.command}" "${builtMain}" version && echo after`
      const printed = await toItsEnd(
        new Program('sh', ['-c', script], { folder: await newFolder(), env: {} }),
      )
      expect(printed).toEqual({ ...good, stdout: `${manifest.version}\nafter\n` })
    })

    it.each(['migrate', 'move', 'rotate-encryption-key'])(
      'lists what %s reads',
      async (command) => {
        const { stdout } = await run([command, '-h'])
        const shown = listed(stdout).map(({ env }) => env)
        expect(shown).toEqual(expect.arrayContaining(['SERVICE_DATADIR', 'ENCRYPTION_KEY']))
        expect(shown).not.toContain('SERVICE_PORT')
        expect((await run([command, '--port=1'])).stderr).toContain('unknown flag --port;')
      },
    )

    it.each([
      'postgres:/ann:kept-to-itself@server/texts',
      'postgresql+psycopg://ann:kept-to-itself@server/texts',
    ])('moves to no folder that is named like a misspelt URL: %s', async (to) => {
      const { exit, stderr } = await run(['move', '--to', to])
      expect(exit).toBe(1)
      expect(stderr).toMatch(/^semblance: --to: SERVICE_DATABASE_URL must look like postgres:/)
      expect(stderr).not.toContain('kept-to-itself')
    })

    it('keeps within 100 columns', async () => {
      const texts = await Promise.all(
        [[], ...commands.map((command) => [command, '-h'])].map((args) => run(args)),
      )
      const lines = texts.flatMap(({ stdout }) => stdout.split('\n'))
      expect(lines.filter((line) => line.length > 100)).toEqual([])
    })

    it('lists the commands', async () => {
      for (const args of [[], ['help'], ['-h']]) {
        const { stdout } = await run(args)
        const own = ['serve', 'migrate', 'move', 'backup', 'openapi', 'smoke', 'version']
        for (const command of own) {
          expect(stdout).toMatch(new RegExp(`^ +${command} +\\S`, 'm'))
        }
      }
    })

    it.each(['version', '--version', '-v'])('prints the version: %s', async (word) => {
      expect(await run([word])).toEqual({ ...good, stdout: `${manifest.version}\n` })
    })

    it('prints the OpenAPI document and nothing else, without any settings', async () => {
      const yaml = await run(['openapi'])
      const json = await run(['openapi', '--format', 'json'])
      expect(yaml).toMatchObject(good)
      expect(json).toMatchObject(good)
      const document: unknown = JSON.parse(json.stdout)
      expect(document).toMatchObject({ openapi: '3.1.0', paths: { '/v1/users': {} } })
      expect(parse(yaml.stdout)).toEqual(document)
    })

    it('prints all of the document to a program that reads slowly', async () => {
      const [{ stdout, ...slow }, whole] = await Promise.all([
        piped(['openapi'], '(sleep 2; wc -c)'),
        run(['openapi']),
      ])
      expect(slow).toEqual(good)
      expect(Number(stdout)).toBe(Buffer.byteLength(whole.stdout))
    })

    it('says nothing when its reader has seen enough', async () => {
      expect(await piped(['openapi'], 'head -n 1')).toEqual({ ...good, stdout: 'openapi: 3.1.0\n' })
    })

    it('takes a setting from flag, environment, .env file or default, in this order', async () => {
      // Which folder was chosen can be read in the refusal, since none of them can be made.
      const folder = await newFolder()
      for (const name of ['flag', 'env', 'dotenv', 'data']) await writeFile(join(folder, name), '')
      const flags = ['migrate', '--data-dir=flag']
      const chosen = async (args: string[], env: Record<string, string>) =>
        /the folder \S*\/(\w+) cannot be written/.exec((await run(args, env, folder)).stderr)?.[1]
      await writeFile(join(folder, '.env'), 'SERVICE_DATADIR=dotenv\n')
      expect(await chosen(flags, { SERVICE_DATADIR: 'env' })).toBe('flag')
      expect(await chosen(['migrate'], { SERVICE_DATADIR: 'env' })).toBe('env')
      expect(await chosen(['migrate'], { SERVICE_DATADIR: '' })).toBe('dotenv')
      await writeFile(join(folder, '.env'), 'SERVICE_DATADIR=\n')
      expect(await chosen(['migrate'], {})).toBe('data')
    })

    it('does not need a .env file that can be read', async () => {
      const folder = await newFolder()
      await mkdir(join(folder, '.env'))
      expect(await run(['version'], {}, folder)).toMatchObject(good)
    })
  })
}
