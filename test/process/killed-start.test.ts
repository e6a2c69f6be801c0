import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { request, runtimes, serve, startServer } from '../support/servers/server.ts'
import { embeddedSite } from '../support/servers/site.ts'

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

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined || !existsSync('/proc/self/task'))(
    `a first start that is killed (${runtime.name})`,
    () => {
      it('takes along the process that makes its files, and the next start is served', async () => {
        const site = await embeddedSite()
        const data = join(site.folder, 'data')
        const killed = serve(runtime, site)
        onTestFinished(() => killed.signal('SIGKILL'))
        const made = join(data, `pgdata.new.${killed.pid}`)
        while (!existsSync(made)) await sleep(10)
        const child = (await childOf(killed.pid)) ?? ''
        while (((await workOf(child)) ?? enough) < enough) await sleep(10)
        const wasMade = existsSync(join(made, 'PG_VERSION'))
        killed.signal('SIGKILL')
        expect(await killed.exit).toBe('SIGKILL')
        while ((await workOf(child)) !== undefined) await sleep(10)
        expect(existsSync(join(made, 'PG_VERSION')), 'it went on').toBe(wasMade)

        const next = await startServer(runtime, site)
        expect(await request(next, 'GET', '/v1/users')).toMatchObject({ status: 200 })
        const names = ['admin.key', 'encryption.key', 'pgdata', 'semblance.lock']
        expect((await readdir(data)).sort()).toEqual(names)
      })
    },
  )
}
