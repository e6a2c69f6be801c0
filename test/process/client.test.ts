import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Program, toItsEnd } from '../support/servers/program.ts'
import { everyRuntime } from '../support/servers/server.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { newFolder, preparedSite } from '../support/servers/site.ts'

const walk = fileURLToPath(new URL('client-walk.js', import.meta.url))

for (const runtime of everyRuntime) {
  describe.skipIf(runtime.command === undefined)(`semblance-client (${runtime.name})`, () => {
    const running = sharedServer(runtime, preparedSite)

    it('calls a server, tells its errors, and tries again', async () => {
      const { url, key } = running()
      const env = { SEMBLANCE_URL: url, SERVER_ADMIN_KEY: key }
      const at = { folder: await newFolder(), env }
      const outcome = await toItsEnd(new Program(runtime.command ?? '', [walk], at))
      expect(outcome).toEqual({ exit: 0, stdout: 'walked\n', stderr: '' })
    })
  })
}
