import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Runtime } from '../support/servers/program.ts'
import {
  created,
  request,
  runtimes,
  type Server,
  serve,
  startServer,
} from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { type AtEnd, embeddedSite, preparedSite, type Site } from '../support/servers/site.ts'

const read = (path: string) => readFile(path, 'utf8').catch(() => '')

/** The process that a process has started; undefined while there is none. */
async function childOf(pid: number | undefined): Promise<string | undefined> {
  const [child = ''] = (await read(`/proc/${pid}/task/${pid}/children`)).split(' ')
  return child === '' ? undefined : child
}

/** How long a process has had a processor, in hundredths of a second; undefined when it has ended. */
async function workOf(pid: string): Promise<number | undefined> {
  const stat = await read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' || fields[0] === 'Z' ? undefined : Number(fields[11]) + Number(fields[12])
}

/** Long enough for it to be in the middle of its work, which then has no pauses. */
const enough = 120

/** The memory in use, in MB. */
async function memoryOf({ program }: Server): Promise<number> {
  const status = await readFile(`/proc/${program.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

/** They differ by 50 at most. Without a process of its own, initdb leaves 190 (Bun) to 440 (Node). */
const mostMoreMegabytes = 120

/** Starts where there is no database yet. @returns the program, and the process that makes the files */
async function firstStart(runtime: Runtime, site: Site, atEnd: AtEnd) {
  const program = serve(runtime, site)
  atEnd(async () => program.signal('SIGKILL'))
  const made = join(site.folder, `data/pgdata.new.${program.pid}`)
  while (!existsSync(made)) await sleep(10)
  return { program, made, child: (await childOf(program.pid)) ?? '' }
}

const peakOf = async (process: string) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(await read(`/proc/${process}/status`))?.[1] ?? 0) / 1024

/** In MB; 260 on Node and 530 on Bun, and 850 before. With what else a start takes, it is to fit a container. */
const mostForFiles = 600

/** Kills a first start while it makes its files. @returns the site, and whether the files went on being made */
async function killFirstStart(runtime: Runtime, atEnd: AtEnd = onTestFinished) {
  const site = await embeddedSite(atEnd)
  const { program: killed, made, child } = await firstStart(runtime, site, atEnd)
  while (((await workOf(child)) ?? enough) < enough) await sleep(10)
  const isMade = () => existsSync(join(made, 'PG_VERSION'))
  const wasMade = isMade()
  killed.signal('SIGKILL')
  await killed.exit
  while ((await workOf(child)) !== undefined) await sleep(10)
  return { site, wentOn: isMade() !== wasMade }
}

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined || !existsSync('/proc/self/task'))(
    `a first start (${runtime.name}), after another that was killed`,
    () => {
      let first: { site: Site; wentOn: boolean }
      const running = sharedServer(runtime, async (atEnd) => {
        first = await killFirstStart(runtime, atEnd)
        return first.site
      })

      it('makes its files itself: the other took along the process that made them', async () => {
        expect(first.wentOn).toBe(false)
        expect(created(running())).toBe(1)
        expect(await request(running(), 'GET', '/v1/users')).toMatchObject({ status: 200 })
        const names = ['admin.key', 'encryption.key', 'pgdata', 'semblance.lock']
        expect((await readdir(join(first.site.folder, 'data'))).sort()).toEqual(names)
      })

      it('takes little memory to make its files', async () => {
        const { made, child } = await firstStart(runtime, await embeddedSite(), onTestFinished)
        let peak = 0
        while (existsSync(made)) {
          peak = Math.max(peak, await peakOf(child))
          await sleep(10)
        }
        expect(peak).toBeGreaterThan(0)
        expect(peak).toBeLessThan(mostForFiles)
      })

      it('names memory if what makes its files is killed', async () => {
        const { program, child } = await firstStart(runtime, await embeddedSite(), onTestFinished)
        process.kill(Number(child), 'SIGKILL')
        expect(await program.exit).toBe(1)
        expect(program.stderr).toMatch(/semblance: a new embedded .* for want of memory\./)
      })

      it('keeps no more memory than a later start', async () => {
        const later = await startServer(runtime, await preparedSite())
        const more = async () => (await memoryOf(running())) - (await memoryOf(later))
        // For a moment, V8 takes hundreds of MB to optimize WebAssembly.
        await expect.poll(more).toBeLessThan(mostMoreMegabytes)
      })
    },
  )
}
