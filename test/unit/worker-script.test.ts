import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { workerScript } from '../../src/concurrency/worker-script.ts'

it('the script of a worker is the file beside a caller that was built', () => {
  const script = workerScript('file:///srv/dist/room/client.js', './worker.ts')
  expect(script.href).toBe('file:///srv/dist/room/worker.js')
})

it('the script of a worker is the built file for a caller that runs from its source', () => {
  const caller = new URL('../../src/db/embedded/worker-client.ts', import.meta.url)
  const script = workerScript(caller.href, './worker.ts')
  expect(script).toEqual(new URL('../../dist/db/embedded/worker.js', import.meta.url))
  expect(existsSync(script)).toBe(true)
})
