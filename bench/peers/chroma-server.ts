import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/shared/ports.ts'
import { searchPath } from '../../test/shared/search-path.ts'
import { within } from '../../test/shared/time.ts'
import { statusOf, stop } from '../server.ts'
import { undoing } from '../undo.ts'

const startMs = 60_000

export interface ChromaServer {
  readonly url: string
  readonly pid: number
  readonly listeningAt: number
}

/** Lets `use` have `chroma run` on the data in this folder, and stops it. */
export async function withChroma<T>(
  command: string,
  folder: string,
  use: (server: ChromaServer) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const place = ['--path', folder, '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(command, ['run', ...place], {
    cwd: folder,
    env: { PATH: searchPath, HOME: folder, ANONYMIZED_TELEMETRY: 'False' },
    stdio: 'ignore',
  })
  return undoing(
    () => stop(child),
    async () => {
      const url = `http://127.0.0.1:${port}`
      const ended = new Promise<never>((_, reject) => {
        child.once('error', reject)
        child.once('exit', () => reject(new Error('Chroma ended at its start')))
      })
      await within(Promise.race([ready(url), ended]), startMs, 'the start of Chroma')
      ended.catch(() => {})
      return await use({ url, pid: child.pid ?? 0, listeningAt: performance.now() })
    },
  )
}

async function ready(url: string): Promise<void> {
  while ((await statusOf(`${url}/api/v2/heartbeat`)) !== 200) await sleep(20)
}
