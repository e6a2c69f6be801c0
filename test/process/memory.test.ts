import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runtimes, startServer } from '../support/servers/server.ts'
import { embeddedSite } from '../support/servers/site.ts'

/** Some 290 on Node and 235 on Bun, and 560 on Node before initdb had a process of its own. */
const mostMegabytes = 360

for (const runtime of runtimes) {
  const canTell = runtime.command !== undefined && existsSync('/proc/self/status')
  it.skipIf(!canTell)(
    `a server with a new embedded database is small (${runtime.name})`,
    async () => {
      const { program } = await startServer(runtime, await embeddedSite())
      const status = readFileSync(`/proc/${program.pid}/status`, 'utf8')
      const resident = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
      expect(resident).toBeGreaterThan(0)
      expect(resident).toBeLessThan(mostMegabytes)
    },
  )
}
