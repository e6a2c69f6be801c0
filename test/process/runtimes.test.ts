import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { builtMain, node, Program, toItsEnd } from '../support/servers/program.ts'
import { everyRuntime } from '../support/servers/server.ts'
import { newFolder } from '../support/servers/site.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The sources of a package that was installed without what only its build needs. */
async function unbuilt(): Promise<string> {
  const folder = await newFolder()
  for (const name of ['start.js', 'build.js', 'package.json', 'src/maps/embedding-atlas'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  return folder
}

for (const runtime of everyRuntime) {
  const run = (folder: string, ...args: string[]) =>
    toItsEnd(new Program(runtime.command ?? '', args, { folder, env: {} }))

  describe.skipIf(runtime.command === undefined)(`the program (${runtime.name})`, () => {
    it.each([[], ['openapi'], ['--help']])(
      'refuses a runtime that is too old: %s',
      async (...args) => {
        const folder = await newFolder()
        const versions =
          '{ ...process.versions, node: "18.20.8", bun: process.versions.bun && "1.3.14" }'
        const older = `Object.defineProperty(process, "versions", { value: ${versions} })`
        await writeFile(join(folder, 'older.mjs'), older)
        const flag = runtime === node ? '--import' : '--preload'
        const refusal =
          runtime === node
            ? 'this is Node 18.20.8, and Semblance needs Node 20.19, 22.2 or newer'
            : 'this is Bun 1.3.14, and Semblance needs Bun 1.4 or newer'
        const outcome = await run(folder, flag, './older.mjs', builtMain, ...args)
        expect(outcome).toEqual({ exit: 1, stdout: '', stderr: `semblance: ${refusal}\n` })
      },
    )

    it('says what is missing when it was installed without its compiler', async () => {
      const { exit, stdout, stderr } = await run(await unbuilt(), 'start.js', '--port', '0')
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
      const remedy =
        runtime === node
          ? 'npm ci --include=dev && npm run build'
          : 'bun install --frozen-lockfile && bun run build'
      expect(stderr).toBe(
        `semblance: it is not built, and the compiler is not installed (NODE_ENV=production leaves it out); run ${remedy}\n`,
      )
    })

    it('is built first where its compiler is, and says so when there is something to build', async () => {
      const folder = await unbuilt()
      for (const place of ['', 'src', 'web', 'clients/typescript'])
        await cp(join(root, place, 'tsconfig.json'), join(folder, place, 'tsconfig.json'))
      await mkdir(join(folder, 'clients/typescript/src'))
      await writeFile(join(folder, 'clients/typescript/src/client.ts'), 'export const client = 1')
      await mkdir(join(folder, 'web/upload'))
      await mkdir(join(folder, 'web/icons'))
      for (const name of [
        ...['main.tsx', 'making.tsx', 'managing.tsx', 'mapping.tsx', 'upload/parquet.ts'],
        ...['guides.tsx', 'style.css', 'guides.css', 'api.css', 'index.html', 'icons/LICENSE'],
      ])
        await writeFile(join(folder, 'web', name), '')
      await cp(join(root, 'build-guides.js'), join(folder, 'build-guides.js'))
      await cp(
        join(root, 'clients/typescript/README.md'),
        join(folder, 'clients/typescript/README.md'),
      )
      for (const place of ['node_modules', 'docs', 'clients/python', 'README.md'])
        await symlink(join(root, place), join(folder, place))
      const source = join(folder, 'src/main.ts')
      const start = async () => {
        const { stderr, ...rest } = await run(folder, 'start.js')
        return { ...rest, said: stderr.split('\n').map((line) => line && JSON.parse(line).msg) }
      }
      const building = ['Building the program; this takes some seconds', '']
      await writeFile(source, "process.stdout.write('first')")
      expect(await start()).toEqual({ exit: 0, stdout: 'first', said: building })
      expect(await start()).toEqual({ exit: 0, stdout: 'first', said: [''] })
      await writeFile(source, "process.stdout.write('second')")
      expect(await start()).toEqual({ exit: 0, stdout: 'second', said: building })
      await writeFile(join(folder, 'web/style.css'), 'p { margin: 0 }')
      expect(await start()).toEqual({ exit: 0, stdout: 'second', said: building })
      expect(await start()).toEqual({ exit: 0, stdout: 'second', said: [''] })
    })

    it('says what to run where packages that it is built of are missing, and serves nothing old', async () => {
      const folder = await unbuilt()
      for (const place of ['dist', 'node_modules']) await mkdir(join(folder, place))
      await symlink(join(root, 'node_modules/typescript'), join(folder, 'node_modules/typescript'))
      await writeFile(join(folder, 'dist/main.js'), "process.stdout.write('old')")
      const { exit, stdout, stderr } = await run(folder, 'start.js')
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
      expect(stderr).toMatch(
        /\nsemblance: it cannot be built as the packages are; run .* run build\n$/,
      )
    })

    it('is served as it was built where there is no compiler', async () => {
      const folder = await unbuilt()
      await mkdir(join(folder, 'dist'))
      const print = 'process.stdout.write(process.argv.slice(2).join())'
      await writeFile(join(folder, 'dist/main.js'), print)
      const outcome = await run(folder, 'start.js', '--port', '8899')
      expect(outcome).toEqual({ exit: 0, stdout: 'serve,--port,8899', stderr: '' })
    })
  })
}

it('npm start takes flags', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(scripts.start).toBe('exec node start.js')
  const outcome = await toItsEnd(
    new Program(process.execPath, [join(root, 'start.js'), '--prot=1'], {
      folder: await newFolder(),
      env: {},
    }),
  )
  const stderr = 'semblance: unknown flag --prot; did you mean --port?\n'
  expect(outcome).toEqual({ exit: 1, stdout: '', stderr })
})
