import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../shared/percentiles.ts'
import { bun, node } from '../../support/servers/program.ts'
import { RawConnection } from '../../support/servers/raw-http.ts'
import { HttpClient } from '../http-client.ts'
import { type Context, type Mode, type Stage, withPostgres } from '../stage.ts'
import { textOf, uploadBody } from '../texts.ts'
import type { World } from '../world.ts'

const texts = 200
const searchers = 4
const byteEveryMs = 100
/** Node's header timeout, the interval at which Node looks, and time to spare. */
const headerTimeoutMs = 15_000 + 5_000 + 10_000
/** After this long at least one slow body was due to be refused. */
const slowBodyMs = 30_000
const patienceMs = 3_600_000
const refused = 'HTTP/1.1 408 Request Timeout'

const large = { idle: 1_000, slow: 100, searches: 2_000 }
const small = { idle: 300, slow: 50, searches: 200 }

/** Idle connections and bodies that are too slow are held open while others search. */
export const crowd: Mode = async (context) => {
  for (const runtime of [node, bun]) {
    if (runtime.command === undefined) continue
    await withPostgres(context, `crowd on ${runtime.name}`, (stage) => play(context, stage), {
      runtime,
    })
  }
}

async function play({ isShort }: Context, { tally, world }: Stage): Promise<void> {
  const { idle, slow, searches } = isShort ? small : large
  await fill(world)
  await searchAll(world, searches)
  const alone = await searchAll(world, searches)
  const present = new Crowd(world)
  await present.gather(idle, slow)
  const crowded = await searchAll(world, searches)
  tally.rounds = 1
  tally.remarks = {
    'open after the searches': present.idleOpen + present.slowOpen,
    'p99 ms alone': percentile(alone, 0.99),
    'p99 ms in the crowd': percentile(crowded, 0.99),
  }
  const deadline = Date.now() + headerTimeoutMs
  while (!isShort && present.idleOpen > 0 && Date.now() < deadline) await sleep(100)
  if (!isShort && present.idleOpen > 0) {
    tally.violate('other violations', `${present.idleOpen} idle connections were never closed`)
  }
  present.leave()
  for (const answer of present.answers.filter((line) => line !== refused)) {
    tally.violate('other violations', `a slow body got '${answer}'`)
  }
  if (present.answers.length === 0 && performance.now() - present.since > slowBodyMs) {
    tally.violate('other violations', 'no slow body was ever refused')
  }
}

async function fill({ url, tally, probed, adminKey }: World): Promise<void> {
  const client = new HttpClient(url, tally)
  const { textIds } = probed.newBatch(texts)
  const body = uploadBody(textIds, probed.handle, probed.dimensions)
  await client.expect('POST', probed.path('embeddings'), { key: adminKey, body })
  client.close()
}

/** @returns how long the searches took */
async function searchAll(world: World, count: number): Promise<number[]> {
  const { url, tally, probed, adminKey } = world
  const took: number[] = []
  const body = { vector: textOf('asked', probed.dimensions).vector }
  const search = async () => {
    const client = new HttpClient(url, tally)
    for (let left = count / searchers; left > 0; left -= 1) {
      const outcome = await client.call('POST', probed.path('similars'), { key: adminKey, body })
      took.push(performance.now() - outcome.startedAt)
      if (outcome.status !== 200) {
        tally.violate('other violations', `a search: ${outcome.status} ${outcome.reason}`)
      }
    }
    client.close()
  }
  await Promise.all(Array.from({ length: searchers }, search))
  return took
}

/**
 * Connections that only take up room: silent, with half a head, or with a body that never ends. In
 * the place of a body that the server has refused there is a new one until the crowd disperses.
 */
class Crowd {
  readonly #world: World
  readonly #idle: RawConnection[] = []
  readonly #slow = new Set<RawConnection>()
  readonly #drip: NodeJS.Timeout
  readonly since = performance.now()
  /** First lines of the answers to slow bodies; empty where there was none. */
  readonly answers: string[] = []
  #gathering = true

  constructor(world: World) {
    this.#world = world
    this.#drip = setInterval(() => {
      for (const connection of this.#slow) void connection.send(' ')
    }, byteEveryMs)
  }

  async gather(idle: number, slow: number): Promise<void> {
    const halfHead = 'GET /v1/users HTTP/1.1\r\nHost: torture\r\nX-Half: '
    for (let number = 0; number < idle; number += 1) {
      const connection = await RawConnection.open(this.#world.url)
      if (number % 2 > 0) await connection.send(halfHead)
      this.#idle.push(connection)
    }
    for (let number = 0; number < slow; number += 1) await this.#drag()
  }

  /** One more body that never ends. */
  async #drag(): Promise<void> {
    const { url, probed, adminKey } = this.#world
    const head = [
      `POST ${probed.path('embeddings')} HTTP/1.1`,
      'Host: torture',
      `Authorization: Bearer ${adminKey}`,
      'Content-Length: 100000',
    ]
    const connection = await RawConnection.open(url)
    await connection.send(`${head.join('\r\n')}\r\n\r\n{`)
    this.#slow.add(connection)
    void this.#replace(connection).catch(() => this.answers.push('no new connection'))
  }

  /** When the server has refused it. */
  async #replace(connection: RawConnection): Promise<void> {
    const answer = await connection.untilEnd(patienceMs)
    this.#slow.delete(connection)
    if (!this.#gathering) return
    this.answers.push(answer.split('\r\n', 1)[0] ?? '')
    await this.#drag()
  }

  get idleOpen(): number {
    return this.#idle.filter(({ isOpen }) => isOpen).length
  }

  get slowOpen(): number {
    return this.#slow.size
  }

  leave(): void {
    this.#gathering = false
    clearInterval(this.#drip)
    for (const connection of [...this.#idle, ...this.#slow]) connection.close()
  }
}
