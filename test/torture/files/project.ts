import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient, isUnknown, type Outcome, succeeded, wasRefused } from '../http-client.ts'
import type { Dice } from '../oracle/dice.ts'
import { toBase64, VectorSource } from '../oracle/vectors.ts'
import { adminKey as key, type Service } from '../service.ts'
import type { Tally } from '../tally.ts'
import { instanceOf } from '../world.ts'
import { Found, flawsOfNearest } from './nearest.ts'

const dimensions = 384
/** 4,224,000 components: a project has a file from 4,000,000 on. */
const vectors = 11_000
const inBatch = 500
const mostChanged = 20
const searches = 20
const count = 10
const patienceMs = 60_000
/** Vectors that were changed lately: a file that is out of date has others. */
const remembered = 100

const path = '/v1/embeddings/ann/texts'

interface Change {
  readonly added: ReadonlyMap<string, Float32Array>
  readonly removed: readonly string[]
}

/** What is known of the project: by acknowledged changes, and by those without an answer. */
export class Truth {
  readonly stored: Map<string, Float32Array>
  unknown: Change[]
  /** How many changes there were: the project's revision grows by as much. */
  changes: number

  constructor(from?: Truth) {
    this.stored = new Map(from?.stored)
    this.unknown = [...(from?.unknown ?? [])]
    this.changes = from?.changes ?? 0
  }
}

/** A large project of a server, and what is known of it. */
export class Project {
  truth: Truth
  readonly #tally: Tally
  readonly #dice: Dice
  readonly #source: VectorSource
  readonly #client: HttpClient
  readonly #recent: Float32Array[] = []
  #next = 0

  constructor({ url }: Service, tally: Tally, dice: Dice, truth = new Truth()) {
    this.#tally = tally
    this.#dice = dice
    this.#source = new VectorSource(dimensions, dice)
    this.#client = new HttpClient(url, tally)
    this.truth = truth
  }

  async create(): Promise<void> {
    const put = (path: string, body: object) => this.#client.expect('PUT', path, { key, body })
    await put('/v1/users/ann', {})
    await put('/v1/llm-services/ann/model', instanceOf(dimensions))
    await put('/v1/projects/ann/texts', { instance_owner: 'ann', instance_handle: 'model' })
    for (let at = 0; at < vectors; at += inBatch) {
      await this.#make({ added: this.#new(inBatch), removed: [] })
    }
  }

  /** Makes so many changes at once, of different texts. */
  async change(times = 1): Promise<void> {
    const left = this.#dice.some([...this.truth.stored.keys()], times * mostChanged)
    const some = () => left.splice(0, this.#dice.whole(1, mostChanged))
    const kinds = [
      () => ({ added: this.#new(this.#dice.whole(1, mostChanged)), removed: [] }),
      () => ({ added: new Map(some().map((id) => [id, this.#vector()])), removed: [] }),
      () => ({ added: new Map(), removed: some() }),
    ]
    const changes = Array.from({ length: times }, () => this.#dice.of(kinds)())
    await Promise.all(changes.map((change) => this.#make(change)))
  }

  /** Looks which of the changes without an answer were made. */
  async settle(): Promise<void> {
    for (const change of this.truth.unknown.splice(0)) {
      const [id, vector] = [...change.added][0] ?? [change.removed[0] ?? '']
      const of = `${path}/${encodeURIComponent(id)}?vector_format=base64`
      const { status, body } = await this.#client.call('GET', of, { key })
      const isMade =
        vector === undefined ? status === 404 : Object(body).vector === toBase64(vector)
      if (isMade) this.#note(change)
      if (isMade) this.#tally.foundDone += 1
      else this.#tally.foundUndone += 1
    }
  }

  /** Searches at once, and until memory has answered often enough; each answer is compared. */
  async check(): Promise<void> {
    const until = performance.now() + patienceMs
    for (let inMemory = 0; inMemory < searches; ) {
      const query = this.#dice.chance(0.5) ? this.#dice.of(this.#recent) : this.#vector()
      const body = { vector: toBase64(query), limit: count, threshold: 0 }
      const sought = await this.#client.expect('POST', '/v1/similars/ann/texts', { key, body })
      const { results } = Found.parse(sought.body)
      const flaws = flawsOfNearest(this.truth.stored, query, count, results)
      const strategy = `${sought.headers['server-timing']}`
      if (flaws.length > 0) this.#tally.violate('wrong answers', `${strategy}: ${flaws[0]}`)
      if (strategy.includes('memory')) inMemory += 1
      else if (performance.now() < until) await sleep(50)
      else return this.#tally.violate('other violations', 'memory does not answer')
    }
  }

  async #make(change: Change): Promise<void> {
    const outcome = await this.#send(change)
    if (succeeded(outcome)) {
      this.#tally.acknowledged += 1
      this.#note(change)
    } else if (isUnknown(outcome)) this.truth.unknown.push(change)
    else if (wasRefused(outcome)) {
      const why = `a change was refused: ${outcome.status} ${JSON.stringify(outcome.body)}`
      this.#tally.violate('other violations', why)
    }
  }

  #send({ added, removed }: Change): Promise<Outcome> {
    const body = { text_ids: removed }
    if (removed.length > 0) return this.#client.call('POST', `${path}/delete`, { key, body })
    const embeddings = [...added].map(([text_id, vector]) => ({
      text_id,
      vector: toBase64(vector),
    }))
    const batch = { instance_handle: 'model', vector_dim: dimensions, embeddings }
    return this.#client.call('POST', `${path}?on_conflict=replace`, { key, body: batch })
  }

  #note({ added, removed }: Change): void {
    const { stored } = this.truth
    const before = [...removed, ...added.keys()].flatMap((id) => stored.get(id) ?? [])
    this.#recent.unshift(...before, ...added.values())
    this.#recent.length = Math.min(remembered, this.#recent.length)
    for (const id of removed) stored.delete(id)
    for (const [id, vector] of added) stored.set(id, vector)
    this.truth.changes += 1
  }

  #vector = () => this.#source.next(this.#dice.of(['clustered', 'isotropic'] as const))

  #new(length: number): ReadonlyMap<string, Float32Array> {
    const first = this.#next
    this.#next += length
    return new Map(Array.from({ length }, (_, at) => [`t${first + at}`, this.#vector()]))
  }
}
