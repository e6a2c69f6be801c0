import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

export interface Server {
  readonly url: string
  readonly key: string
  stop(): Promise<void>
}

/**
 * Starts the built program of the current folder, as a newcomer does, with its data in `folder`.
 * @param settings others; where they name a database, its administrator key is among them
 */
export async function startServer(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const child = spawn(process.execPath, [resolve('dist/main.js'), 'serve', '--port', '0'], {
    cwd: folder,
    env: {
      ...{ PATH: process.env['PATH'], SERVICE_HOST: '127.0.0.1', SERVICE_DEBUG: 'false' },
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill()
    await ended
  }
  const said: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      said.push(line)
      const found = /is listening on (http\S+) /.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    const refused = () => reject(new Error(`the server has not started:\n${said.join('\n')}`))
    void ended.then(refused, reject)
  })
  const given = settings['SERVICE_ADMINKEY']
  return { url, key: given ?? (await readFile(join(folder, 'data/admin.key'), 'utf8')), stop }
}
