import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { adminKey } from './service.ts'
import type { World } from './world.ts'

const byteEveryMs = 100
const halfHead = 'GET /v1/users HTTP/1.1\r\nHost: torture\r\nX-Half: '

/**
 * Connections that only take up room: silent, with half a head, or with a body that never ends. In
 * the place of a body that the server has refused there is a new one until the crowd disperses.
 */
export class Crowd {
  readonly #world: World
  readonly #idle: Socket[] = []
  readonly #slow = new Set<Socket>()
  readonly #drip: NodeJS.Timeout
  readonly #since = performance.now()
  /** First lines of the answers to slow bodies; empty where there was none. */
  readonly answers: string[] = []
  #gathering = true

  private constructor(world: World) {
    this.#world = world
    this.#drip = setInterval(() => {
      for (const socket of this.#slow) socket.write(' ')
    }, byteEveryMs)
  }

  static async gather(world: World, size: { idle: number; slow: number }) {
    const crowd = new Crowd(world)
    for (let number = 0; number < size.idle; number += 1) {
      crowd.#idle.push(await crowd.#open(number % 2 === 0 ? '' : halfHead))
    }
    for (let number = 0; number < size.slow; number += 1) await crowd.#drag()
    return crowd
  }

  async #open(text: string): Promise<Socket> {
    const { hostname, port } = new URL(this.#world.url)
    const socket = connect(Number(port), hostname)
    // Being closed is what they are here for.
    socket.on('error', () => {}).resume()
    await once(socket, 'connect')
    if (text !== '') socket.write(text)
    return socket
  }

  /** One more body that never ends. */
  async #drag(): Promise<void> {
    const path = this.#world.probed.path('embeddings')
    const socket = await this.#open(
      `POST ${path} HTTP/1.1\r\nHost: torture\r\nAuthorization: Bearer ${adminKey}\r\nContent-Length: 100000\r\n\r\n{`,
    )
    this.#slow.add(socket)
    let answer = ''
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text
    })
    socket.once('close', () => {
      this.#slow.delete(socket)
      if (!this.#gathering) return
      this.answers.push(answer.split('\r\n', 1)[0] ?? '')
      this.#drag().catch(() => this.answers.push('no new connection'))
    })
  }

  get idleOpen(): number {
    return this.#idle.filter(({ readyState }) => readyState === 'open').length
  }

  get open(): number {
    return this.idleOpen + this.#slow.size
  }

  age(): number {
    return performance.now() - this.#since
  }

  leave(): void {
    this.#gathering = false
    clearInterval(this.#drip)
    for (const socket of [...this.#idle, ...this.#slow]) socket.destroy()
  }
}
