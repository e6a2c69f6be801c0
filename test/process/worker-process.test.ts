import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { builtMain } from '../support/servers/program.ts'
import { preparedSite } from '../support/servers/site.ts'

/** A worker whose primary process, this one, has given it settings and answers nothing. */
async function startWorker(config: object): Promise<ChildProcess> {
  const script = join(dirname(builtMain), 'server/processes/worker.js')
  const worker = fork(script, [], { env: { NODE_UNIQUE_ID: '1' }, stdio: 'pipe' })
  onTestFinished(() => void worker.kill('SIGKILL'))
  worker.on('message', (message: { readonly is?: string }) => {
    if (message.is === 'started') worker.send(config)
  })
  await once(worker, 'message')
  return worker
}

it('ends also where the primary process goes before it has given it the address', async () => {
  const { folder } = await preparedSite()
  const env = { SERVICE_DATADIR: join(folder, 'data'), SERVICE_PORT: '0' }
  const worker = await startWorker(readConfig({}, env, {}))
  const exit = once(worker, 'exit')
  await once(worker, 'internalMessage', { signal: AbortSignal.timeout(60_000) })
  worker.disconnect()
  expect(await exit).toEqual([0, null])
})

it('ends where it fails in a way that nobody has thought of', async () => {
  const worker = await startWorker({ database: 'postgres' })
  const { stderr } = worker
  if (stderr === null) throw new Error('it is piped')
  const [[code], said] = await Promise.all([once(worker, 'exit'), text(stderr)])
  expect(code).toBe(1)
  expect(said).toMatch(/^semblance: .*Error/)
})
