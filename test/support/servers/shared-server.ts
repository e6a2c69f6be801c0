import { afterAll, beforeAll } from 'vitest'
import type { Runtime } from './program.ts'
import { kill, listening, type Server, type Stage, serve } from './server.ts'

/** One server for all tests of the `describe` that this is called in. */
export function sharedServer(
  runtime: Runtime,
  newSite: Stage['site'],
  ...flags: string[]
): () => Server {
  const undo: (() => Promise<void>)[] = []
  let server: Server | undefined
  beforeAll(async () => {
    const site = await newSite((each) => undo.unshift(each))
    const program = serve(runtime, site, ...flags)
    undo.unshift(() => kill(program))
    server = await listening(program, site)
  })
  afterAll(async () => {
    for (const each of undo) await each()
  })
  return () => {
    if (server === undefined) throw new Error('the server has not been started')
    return server
  }
}
