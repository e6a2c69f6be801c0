import { setTimeout as sleep } from 'node:timers/promises'
import { isUnknown, type Outcome, succeeded, wasRefused } from '../http-client.ts'
import type { Tally } from '../tally.ts'
import { owners } from '../world.ts'
import type { Member, Pair } from './pair.ts'
import { dimensions, instance, instanceOwner, vectorOf } from './vectors.ts'

const batches = [20, 100, 250, 400]
const mostTexts = 1_000
const mostOfBatch = 400
const pauseMs = 20

/** A project that comes, grows, shrinks, moves and goes, by requests to whichever server. */
export class Lane {
  readonly handle: string
  readonly #pair: Pair
  readonly #tally: Tally
  readonly #random: () => number
  #owner: string = owners[0]
  /** Of text_ids; none is ever used twice. */
  #next = 0
  /** Whether the project is there, and with what, by acknowledged requests. */
  exists = false
  readonly texts = new Set<string>()
  /** Whether every request was answered: else only the database knows. */
  certain = true

  constructor(handle: string, pair: Pair, tally: Tally, random: () => number) {
    this.handle = handle
    this.#pair = pair
    this.#tally = tally
    this.#random = random
  }

  get owner(): string {
    return this.#owner
  }

  async run(goesOn: () => boolean): Promise<void> {
    for (; goesOn(); await sleep(pauseMs)) {
      if (!this.certain) await this.#findOwner()
      await this.#step()
    }
  }

  /** What the database says, after requests without an answer. */
  adopt(owner: string | undefined, textIds: readonly string[]): void {
    this.exists = owner !== undefined
    this.#owner = owner ?? this.#owner
    this.texts.clear()
    for (const textId of textIds) this.texts.add(textId)
    this.certain = true
  }

  /** Makes it of that many texts, or gone. */
  async become(size: number | 'gone'): Promise<void> {
    if (size === 'gone') return this.exists ? this.#delete() : undefined
    if (!this.exists) await this.#create()
    if (this.texts.size > size) await this.#empty()
    for (let left = size - this.texts.size; left > 0; left -= mostOfBatch) {
      await this.#add(Math.min(left, mostOfBatch))
    }
  }

  #step(): Promise<void> {
    const dice = this.#random()
    if (!this.exists) return this.#create()
    if (this.texts.size >= mostTexts || dice < 0.1) return this.#empty()
    if (dice < 0.18) return this.#delete()
    if (dice < 0.3) return this.#transfer()
    if (dice < 0.45) return this.#deleteOne()
    return this.#add(batches[Math.floor(this.#random() * batches.length)] ?? 1)
  }

  async #create(): Promise<void> {
    const body = { instance_owner: instanceOwner, instance_handle: instance }
    if (await this.#change('PUT', this.#path('projects'), body)) this.exists = true
  }

  async #add(size: number): Promise<void> {
    const textIds = Array.from({ length: size }, () => {
      this.#next += 1
      return `${this.handle}-${this.#next}`
    })
    const embeddings = textIds.map((textId) => ({
      text_id: textId,
      instance_handle: instance,
      vector: vectorOf(textId),
      vector_dim: dimensions,
    }))
    if (!(await this.#change('POST', this.#path('embeddings'), { embeddings }))) return
    this.#tally.acknowledged += 1
    for (const textId of textIds) this.texts.add(textId)
  }

  async #empty(): Promise<void> {
    if (await this.#change('DELETE', this.#path('embeddings'))) this.texts.clear()
  }

  async #delete(): Promise<void> {
    if (!(await this.#change('DELETE', this.#path('projects')))) return
    this.exists = false
    this.texts.clear()
  }

  async #deleteOne(): Promise<void> {
    const [textId] = this.texts
    if (textId === undefined) return
    const path = `${this.#path('embeddings')}/${textId}`
    if (await this.#change('DELETE', path)) this.texts.delete(textId)
  }

  async #transfer(): Promise<void> {
    const next = owners.find((owner) => owner !== this.#owner) ?? this.#owner
    const path = `${this.#path('projects')}/transfer-ownership`
    if (await this.#change('POST', path, { new_owner_handle: next })) this.#owner = next
  }

  #path = (collection: string) => `/v1/${collection}/${this.#owner}/${this.handle}`

  /** @returns whether it was made */
  async #change(...request: Parameters<Member['call']>): Promise<boolean> {
    const outcome = await this.#pair.anyOf(this.#random).call(...request)
    if (isUnknown(outcome)) this.certain = false
    else if (wasRefused(outcome) && this.certain) this.#refused(request, outcome)
    return succeeded(outcome)
  }

  #refused([method, path]: readonly unknown[], { status, body }: Outcome): void {
    // Answers 5xx are counted where they arrive.
    if (status >= 500) return
    const text = `${method} ${path}: ${status} ${JSON.stringify(body)}`
    this.#tally.violate('other violations', text)
  }

  async #findOwner(): Promise<void> {
    const found: string[] = []
    for (const owner of owners) {
      const path = `/v1/projects/${owner}/${this.handle}`
      const { status } = await this.#pair.anyOf(this.#random).call('GET', path)
      if (status === 200) found.push(owner)
      else if (status !== 404) return
    }
    this.exists = found.length > 0
    this.#owner = found[0] ?? this.#owner
  }
}
