import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { settings } from '../../src/config/settings.ts'
import { semblance, toItsEnd } from '../support/servers/program.ts'
import { runtimes } from '../support/servers/server.ts'
import { newFolder } from '../support/servers/site.ts'

const good = { exit: 0, stderr: '' }

for (const runtime of runtimes) {
  const run = async (args: string[], env: Record<string, string> = {}, folder?: string) =>
    toItsEnd(semblance(runtime, args, { folder: folder ?? (await newFolder()), env }))

  describe.skipIf(runtime.command === undefined)(`the command line (${runtime.name})`, () => {
    const forHelp = ['--help', 'serve --help', 'migrate -h']
    it.each(
      forHelp,
    )('lists all settings with flag, environment name, default: %s', async (line) => {
      const { stdout, ...rest } = await run(line.split(' '))
      expect(rest).toEqual(good)
      const table = stdout.slice(stdout.indexOf('SETTINGS')).split('\n')
      for (const setting of Object.values(settings)) {
        const row = table.find((candidate) => candidate.includes(` ${setting.env} `))
        expect(row).toContain('flag' in setting ? ` --${setting.flag}` : '(no flag)')
        if ('alias' in setting) expect(row).toContain(` -${setting.alias}, `)
        expect(row).toContain(`(default: ${setting.default})`)
      }
      expect(stdout, 'no colours where there is no terminal').not.toContain('\u001b')
    })

    it('lists the commands', async () => {
      for (const args of [[], ['help'], ['-h']]) {
        const { stdout } = await run(args)
        for (const command of ['serve', 'migrate', 'openapi', 'smoke', 'version']) {
          expect(stdout).toMatch(new RegExp(`^ +${command} +\\S`, 'm'))
        }
      }
    })

    it.each(['version', '--version'])('prints the version: %s', async (word) => {
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

it('.env.example lists every setting with its default', async () => {
  const text = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
  const listed = [...text.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, env, value]) => [env, value])
  const expected = Object.values(settings).map(({ env, example }) => [env, example])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected))
})
