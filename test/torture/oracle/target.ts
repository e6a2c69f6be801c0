import type { z } from 'zod'
import { HttpClient, type Outcome } from '../http-client.ts'
import { adminKey } from '../service.ts'
import type { Tally } from '../tally.ts'
import type { Dice } from './dice.ts'

const shownOfBody = 1_000
const shownFlaws = 3

interface Sent {
  readonly body?: object | string | undefined
  readonly contentType?: string
  /** The status that is right. */
  readonly expected?: number
}

/** The servers: each request goes to any of them, and what one has acknowledged the next one knows. */
export class Target {
  readonly tally: Tally
  readonly dice: Dice
  readonly #members: readonly { readonly url: string; readonly client: HttpClient }[]
  readonly #seed: number
  step = 0
  answers = 0

  constructor(urls: readonly string[], tally: Tally, dice: Dice, seed: number) {
    this.tally = tally
    this.dice = dice
    this.#seed = seed
    this.#members = urls.map((url) => ({ url, client: new HttpClient(url, tally) }))
  }

  async send(method: string, path: string, sent: Sent = {}): Promise<Outcome> {
    const { body, contentType, expected = 200 } = sent
    const { client } = this.dice.of(this.#members)
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const request = { key: adminKey, body: text, contentType }
    const outcome = await client.call(method, path, request)
    this.answers += 1
    if (outcome.status !== expected) {
      const answer = JSON.stringify(outcome.body)?.slice(0, 500)
      const difference = `${outcome.status} ${outcome.reason} ${answer}, not ${expected}`
      this.complain(method, path, body, [difference])
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
    const { expected = 200 } = sent
    const { status, body, headers } = await this.send(method, path, sent)
    if (status !== expected) return undefined
    const { data, error } = schema.safeParse(body)
    if (error === undefined) return { value: data, headers }
    this.complain(method, path, sent.body, [`not of the form: ${error.message.slice(0, 300)}`])
    return undefined
  }

  /** Of answers and bodies that are not JSON. */
  async transfer(method: string, path: string, body?: string): Promise<string> {
    const { url } = this.dice.of(this.#members)
    const headers = { authorization: `Bearer ${adminKey}` }
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    this.answers += 1
    if (!answer.ok)
      this.complain(method, path, undefined, [`${answer.status} ${text.slice(0, 500)}`])
    return text
  }

  complain(
    method: string,
    path: string,
    body: object | string | undefined,
    differences: readonly string[],
  ): void {
    if (differences.length === 0) return
    const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
    const shown = text.length > shownOfBody ? `${text.slice(0, shownOfBody)}…` : text
    const more =
      differences.length > shownFlaws ? ` (and ${differences.length - shownFlaws} more)` : ''
    const what = differences.slice(0, shownFlaws).join('; ') + more
    const place = `seed ${this.#seed}, step ${this.step}`
    this.tally.violate('wrong answers', `${place}: ${what}: ${method} ${path} ${shown}`)
  }

  close(): void {
    for (const { client } of this.#members) client.close()
  }
}
