import { Socket } from 'node:net'

/** What an answer may take longer than the statement. */
const graceMs = 5_000

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * A socket to PostgreSQL that postgres.js can rely on.
 * @param statementMs after which the server answers every statement; 0 when it may take any time
 */
export function openSocket({ host, port }: Address, statementMs: number): Socket {
  const socket = new DatabaseSocket(`${host}:${port}`)
  if (statementMs > 0) socket.setTimeout(statementMs + graceMs)
  return socket.connect(host.includes('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
}

/**
 * Every end is an error, and is told in one go with it. Of postgres.js, a statement that is sent
 * between the two events would never settle; nor would the first one on a connection that something
 * before the server closes without an error, for which it connects again and again.
 */
class DatabaseSocket extends Socket {
  readonly #name: string
  #failure: Error | undefined
  /** What had been sent when something was last received. */
  #answered = 0

  constructor(name: string) {
    super()
    this.#name = name
    this.on('data', () => {
      this.#answered = this.bytesWritten
    })
    this.on('timeout', () => this.#giveUp())
    this.on('close', () =>
      this.emit('error', this.#failure ?? this.#error('CONNECTION_CLOSED', 'was closed')),
    )
  }

  override destroy(error?: Error): this {
    this.#failure ??= error
    return super.destroy()
  }

  /** To a machine that is gone the kernel goes on sending for a quarter of an hour. */
  #giveUp(): void {
    if (this.bytesWritten > this.#answered) this.destroy(this.#error('ETIMEDOUT', 'is silent'))
  }

  #error = (code: string, what: string) =>
    Object.assign(new Error(`the connection to ${this.#name} ${what}`), { code })
}
