import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

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
    newJudge: () => Judge,
    answers: Judge = () => 'pass',
  ): Promise<TcpProxy> {
    const server = createServer((client) =>
      link(client, connect(target.port, target.host), newJudge(), answers),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
    return new TcpProxy(server, address.port)
  }

  close(): void {
    this.#server.close()
  }
}

function link(client: Socket, server: Socket, judge: Judge, answers: Judge): void {
  let mute = false
  let gone = false
  const cut = () => {
    client.destroy()
    server.destroy()
  }
  for (const socket of [client, server]) socket.on('error', cut).on('close', cut)
  client.on('data', (bytes) => {
    const verdict = judge(bytes)
    gone ||= verdict === 'swallow'
    if (gone) return
    if (verdict === 'reset') client.resetAndDestroy()
    if (verdict === 'drop' || verdict === 'reset') return cut()
    mute ||= verdict === 'drop the answer'
    server.write(bytes)
  })
  server.on('data', (bytes) => {
    if (mute) cut()
    else if (answers(bytes) === 'pass') client.write(bytes)
  })
}
