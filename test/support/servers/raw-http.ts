import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** The header lines, in lower case. */
  readonly head: string
  readonly body: string
}

/** A connection on which bytes are sent that no HTTP client would send. */
export class RawConnection {
  readonly #socket: Socket
  #received = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1').on('data', (text) => {
      this.#received += text
    })
    // A reset shows as an answer that never comes.
    socket.on('error', () => {})
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname.replaceAll(/[[\]]/g, ''))
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  /** Resolves when the kernel has taken everything. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()))
  }

  /** The next answer. @throws when the connection ends before it is complete */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#takeAnswer()
      if (answer !== undefined) return answer
      if (this.#socket.closed) throw new Error(`closed after: '${this.#received}'`)
      const signal = AbortSignal.timeout(20_000)
      await Promise.race([
        once(this.#socket, 'data', { signal }),
        once(this.#socket, 'close', { signal }),
      ])
    }
  }

  /** All that comes of it until the server closes the connection. */
  async untilEnd(patienceMs?: number): Promise<string> {
    await this.ended(patienceMs)
    return this.#received
  }

  /** Resolves when the server has closed the connection. */
  async ended(patienceMs = 20_000): Promise<void> {
    if (this.#socket.closed) return
    await once(this.#socket, 'close', { signal: AbortSignal.timeout(patienceMs) })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open'
  }

  #takeAnswer(): RawAnswer | undefined {
    const match = /^HTTP\/1\.1 (\d+) .*\r\n([\s\S]*?)\r\n\r\n/.exec(this.#received)
    if (match === null) return undefined
    const [all, status, head = ''] = match
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const end = all.length + length
    if (this.#received.length < end) return undefined
    const body = this.#received.slice(all.length, end)
    this.#received = this.#received.slice(end)
    return { status: Number(status), head: head.toLowerCase(), body }
  }

  close(): void {
    this.#socket.destroy()
  }

  /** As a client that is killed. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }
}

/** Sends all of this on a connection of its own, and only then reads the answer. */
export async function sendRaw(url: string, ...bytes: (string | Uint8Array)[]): Promise<RawAnswer> {
  const connection = await RawConnection.open(url)
  try {
    for (const part of bytes) await connection.send(part)
    return await connection.answer()
  } finally {
    connection.close()
  }
}
