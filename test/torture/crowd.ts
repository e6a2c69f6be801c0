import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { adminKey } from './service.ts'
import type { World } from './world.ts'

const byteEveryMs = 100
const halfHead = 'GET /v1/users HTTP/1.1\r\nHost: torture\r\nX-Half: '

/** Connections that only take up room: silent, with half a head, or with a body that never ends. */
export class Crowd {
  readonly #idle: readonly Socket[]
  readonly #slow: readonly Socket[]
  readonly #drip: NodeJS.Timeout
  readonly #since = performance.now()

  private constructor(idle: readonly Socket[], slow: readonly Socket[]) {
    this.#idle = idle
    this.#slow = slow
    this.#drip = setInterval(() => {
      for (const socket of slow) if (isOpen(socket)) socket.write(' ')
    }, byteEveryMs)
  }

  static async gather({ url, probed }: World, size: { idle: number; slow: number }) {
    const { hostname, port } = new URL(url)
    const open = async (text: string) => {
      const socket = connect(Number(port), hostname)
      // Being closed is what they are here for.
      socket.on('error', () => {}).resume()
      await once(socket, 'connect')
      if (text !== '') socket.write(text)
      return socket
    }
    const head = `POST ${probed.path('embeddings')} HTTP/1.1\r\nHost: torture\r\nAuthorization: Bearer ${adminKey}\r\nContent-Length: 100000\r\n\r\n{`
    const idle: Socket[] = []
    for (let number = 0; number < size.idle; number += 1) {
      idle.push(await open(number % 2 === 0 ? '' : halfHead))
    }
    const slow: Socket[] = []
    for (let number = 0; number < size.slow; number += 1) slow.push(await open(head))
    return new Crowd(idle, slow)
  }

  get idleOpen(): number {
    return this.#idle.filter(isOpen).length
  }

  get open(): number {
    return this.idleOpen + this.#slow.filter(isOpen).length
  }

  age(): number {
    return performance.now() - this.#since
  }

  leave(): void {
    clearInterval(this.#drip)
    for (const socket of [...this.#idle, ...this.#slow]) socket.destroy()
  }
}

const isOpen = ({ readyState }: Socket) => readyState === 'open'
