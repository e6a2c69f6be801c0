import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { portOf } from '../../shared/ports.ts'

/** What becomes of bytes on their way to the server. */
export type Verdict =
  | 'pass'
  /** They do not arrive, and the connection is gone. */
  | 'drop'
  /** They do not arrive, and the connection is gone as that to a process which was killed. */
  | 'reset'
  /** They arrive, and the connection is gone before an answer. */
  | 'drop the answer'
  /** They do not arrive, nor does anything after them, and nobody is told: a machine that is gone. */
  | 'swallow'

/** Judges what a client sends over one connection, piece by piece. */
export type Judge = (bytes: Buffer) => Verdict

/** Judges both directions of one connection. */
export interface Judges {
  readonly requests: Judge
  /**
   * How many of these bytes the client gets. When those are not all, nothing passes any more in
   * either direction and nobody is told: the network has gone silent in the middle of an answer.
   */
  answers(bytes: Buffer): number
  /** The client has given the connection up. */
  closed(): void
}

/** Stands between a client and a server, and cuts connections when it is told to. */
export class TcpProxy {
  readonly port: number
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
  }

  static async to(
    target: { readonly host: string; readonly port: number },
    newJudge: () => Judge | Judges,
  ): Promise<TcpProxy> {
    const server = createServer((client) =>
      link(client, connect(target.port, target.host), newJudge()),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TcpProxy(server, portOf(server))
  }

  close(): void {
    this.#server.close()
  }
}

function link(client: Socket, server: Socket, judging: Judge | Judges): void {
  const { requests: judge, answers, closed } = asJudges(judging)
  let mute = false
  let gone = false
  let silent = false
  const cut = () => {
    client.destroy()
    server.destroy()
  }
  for (const socket of [client, server]) socket.on('error', () => {})
  client.on('close', cut).on('close', closed)
  server.on('close', () => silent || cut())
  client.on('data', (bytes) => {
    const verdict = judge(bytes)
    gone ||= verdict === 'swallow'
    if (gone || silent) return
    if (verdict === 'reset') client.resetAndDestroy()
    if (verdict === 'drop' || verdict === 'reset') return cut()
    mute ||= verdict === 'drop the answer'
    server.write(bytes)
  })
  server.on('data', (bytes) => {
    if (silent) return
    if (mute) return cut()
    const passing = answers(bytes)
    silent = passing < bytes.length
    client.write(bytes.subarray(0, passing))
  })
}

const asJudges = (judging: Judge | Judges): Judges =>
  typeof judging === 'function'
    ? { requests: judging, answers: ({ length }) => length, closed: () => {} }
    : judging
