import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { unique } from '../factories.ts'
import type { Server } from './server.ts'

export interface KeptAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** One connection for all of its requests, so that one process answers them, one after the other. */
export class KeptConnection {
  readonly #server: Server
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(server: Server) {
    this.#server = server
  }

  /** As the administrator, unless with another key. @throws when the connection breaks */
  async send(
    method: string,
    path: string,
    body?: unknown,
    { key = this.#server.key, id = unique('request') } = {},
  ): Promise<KeptAnswer> {
    const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': id }
    const sent = request(new URL(path, this.#server.url), { method, headers, agent: this.#agent })
    const answer = new Promise<KeptAnswer>((resolve, reject) => {
      sent.once('error', reject)
      sent.once('response', (response) => {
        const { statusCode: status, headers } = response
        text(response).then((body) => resolve({ status, headers, text: body }), reject)
      })
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return answer
  }

  /** The process that answers, as its line of the log says. */
  async pid(): Promise<number> {
    const id = unique('who')
    await this.send('GET', '/livez', undefined, { id })
    const { program } = this.#server
    const lines = () => program.log.filter((line) => line['id'] === id)
    while (lines().length === 0) await program.said(new RegExp(id))
    return Number(lines()[0]?.['pid'])
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** A connection to each of so many processes that share the port of a server, by their ids. */
export async function connectionsToEach(
  server: Server,
  count: number,
): Promise<Map<number, KeptConnection>> {
  const all = new Map<number, KeptConnection>()
  while (all.size < count) {
    const connection = new KeptConnection(server)
    const pid = await connection.pid()
    if (all.has(pid)) connection.close()
    else all.set(pid, connection)
  }
  return all
}
