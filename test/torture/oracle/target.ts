import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import { HttpClient, type Outcome, type Request } from '../http-client.ts'
import { adminKey } from '../service.ts'
import type { Tally } from '../tally.ts'
import type { Dice } from './dice.ts'

const shownOfBody = 1_000
const shownOfText = 60
const shownFlaws = 3

interface Sent extends Request {
  /** The status that is right. */
  readonly expected?: number
  /** Which server is asked; undefined for any. */
  readonly server?: HttpClient | undefined
}

/**
 * The servers: what one has acknowledged the next one knows. A request goes to any of them, unless it names one.
 */
export class Target {
  readonly tally: Tally
  readonly dice: Dice
  readonly #urls: readonly string[]
  readonly servers: readonly HttpClient[]
  readonly #seed: number
  step = 0

  constructor(urls: readonly string[], tally: Tally, dice: Dice, seed: number) {
    this.tally = tally
    this.dice = dice
    this.#seed = seed
    this.#urls = urls
    this.servers = urls.map((url) => new HttpClient(url, tally))
  }

  async send(method: string, path: string, { expected = 200, server, ...sent }: Sent = {}) {
    // After a long comparison, the second turn notices connections that the server has closed meanwhile.
    for (let turn = 0; turn < 2; turn += 1) await nextTurn()
    const asked = server ?? this.dice.of(this.servers)
    const outcome = await asked.call(method, path, { key: adminKey, ...sent })
    if (outcome.status !== expected) {
      const answer = JSON.stringify(outcome.body)?.slice(0, 500)
      const difference = `${outcome.status} ${outcome.reason} ${answer}, not ${expected}`
      this.complain(method, path, sent.body, [difference])
    }
    return outcome
  }

  /** @returns undefined when the answer has another form, which is a violation */
  async read<Schema extends z.ZodType>(
    schema: Schema,
    method: string,
    path: string,
    sent: Sent = {},
  ): Promise<{ value: z.output<Schema>; headers: Outcome['headers'] } | undefined> {
    const { status, body, headers } = await this.send(method, path, sent)
    if (status !== (sent.expected ?? 200)) return undefined
    const { data, error } = schema.safeParse(body)
    if (error === undefined) return { value: data, headers }
    this.complain(method, path, sent.body, [`not of the form: ${error.message.slice(0, 300)}`])
    return undefined
  }

  /** Of answers and bodies that are not JSON. */
  async transfer(method: string, path: string, body?: string): Promise<string> {
    const headers = { authorization: `Bearer ${adminKey}` }
    const url = this.dice.of(this.#urls) + path
    const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    if (!answer.ok) this.complain(method, path, '', [`${answer.status} ${text.slice(0, 500)}`])
    return text
  }

  complain(method: string, path: string, body: Request['body'], differences: readonly string[]) {
    if (differences.length === 0) return
    const text = typeof body === 'object' ? JSON.stringify(body, cut) : (body ?? '')
    const shown = text.length > shownOfBody ? `${text.slice(0, shownOfBody)}…` : text
    const others = differences.length - shownFlaws
    const more = others > 0 ? ` (and ${others} more)` : ''
    const what = differences.slice(0, shownFlaws).join('; ') + more
    const place = `seed ${this.#seed}, step ${this.step}`
    this.tally.violate('wrong answers', `${place}: ${what}: ${method} ${path} ${shown}`)
  }

  close(): void {
    for (const client of this.servers) client.close()
  }
}

/** Vectors would hide what else was asked; the seed makes them again. */
const cut = (_: string, value: unknown) =>
  typeof value === 'string' && value.length > shownOfText
    ? `${value.slice(0, shownOfText)}…`
    : value
