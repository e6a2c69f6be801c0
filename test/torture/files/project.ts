import { setTimeout as sleep } from 'node:timers/promises'
import { isUnknown, type Outcome, succeeded, wasRefused } from '../http-client.ts'
import { SearchAnswer } from '../oracle/answers.ts'
import { makeInstance, makeProject } from '../oracle/changes.ts'
import type { Dice } from '../oracle/dice.ts'
import { flawsOf } from '../oracle/judge.ts'
import { type Document, Model } from '../oracle/model.ts'
import { bodyOf } from '../oracle/question.ts'
import { Target } from '../oracle/target.ts'
import { upload } from '../oracle/uploads.ts'
import { toBase64 } from '../oracle/vectors.ts'
import { adminKey as key, type Service } from '../service.ts'
import type { Tally } from '../tally.ts'

const dimensions = 384
/** 4,224,000 components: a project has a file from 4,000,000 on. */
const vectors = 11_000
const mostChanged = 20
const searches = 20
const patienceMs = 60_000
/** Vectors that were changed lately: a file that is out of date has others. */
const remembered = 100

interface Change {
  readonly added: readonly Document[]
  readonly removed: readonly string[]
}

/** What is known of the project: by acknowledged changes, and by those without an answer. */
export class Truth {
  readonly model: Model
  unknown: Change[]
  /** How many changes there were: the project's revision grows by as much. */
  changes: number

  constructor(dice: Dice, from?: Truth) {
    this.model = new Model('ann', 'texts', dimensions, ['clustered', 'isotropic'], dice)
    this.model.keep(from?.model.all ?? [])
    this.unknown = [...(from?.unknown ?? [])]
    this.changes = from?.changes ?? 0
  }
}

/** A large project of a server, and what is known of it. */
export class Project {
  truth: Truth
  readonly #tally: Tally
  readonly #dice: Dice
  readonly #target: Target
  readonly #recent: Float32Array[] = []

  constructor({ url }: Service, tally: Tally, dice: Dice, seed: number, truth = new Truth(dice)) {
    this.#tally = tally
    this.#dice = dice
    this.#target = new Target([url], tally, dice, seed)
    this.truth = truth
  }

  get #model(): Model {
    return this.truth.model
  }

  async create(): Promise<void> {
    await this.#target.send('PUT', '/v1/users/ann', { body: {}, expected: 201 })
    await makeInstance(this.#target, dimensions)
    await makeProject(this.#target, this.#model)
    const fresh = this.#model.newDocuments(this.#dice, vectors)
    await upload(this.#target, this.#model, { fresh })
    this.#remember(fresh)
  }

  /** Makes so many changes at once, of different texts. */
  async change(times = 1): Promise<void> {
    const dice = this.#dice
    const left = dice.some(this.#model.all, times * mostChanged)
    const some = () => left.splice(0, dice.whole(1, mostChanged))
    const kinds = [
      () => ({ added: this.#model.newDocuments(dice, dice.whole(1, mostChanged)), removed: [] }),
      () => ({
        added: some().map(({ id, kind }) => this.#model.newDocument(dice, kind, id)),
        removed: [],
      }),
      () => ({ added: [], removed: some().map(({ id }) => id) }),
    ]
    const changes = Array.from({ length: times }, () => dice.of(kinds)())
    await Promise.all(changes.map((change) => this.#make(change)))
  }

  /** Looks which of the changes without an answer were made. */
  async settle(): Promise<void> {
    for (const change of this.truth.unknown.splice(0)) {
      const [{ id, vector } = { id: change.removed[0] ?? '', vector: undefined }] = change.added
      const path = `${this.#model.path('embeddings')}/${encodeURIComponent(id)}?vector_format=base64`
      const { status, body } = await this.#call('GET', path)
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
    const path = this.#model.path('similars')
    for (let inMemory = 0; inMemory < searches; ) {
      const { kinds, source } = this.#model
      const isKnown = this.#dice.chance(0.5)
      const vector = isKnown ? this.#dice.of(this.#recent) : source.next(this.#dice.of(kinds))
      const question = { textId: undefined, vector, options: { threshold: 0 } }
      const body = bodyOf(question)
      const read = await this.#target.read(SearchAnswer, 'POST', path, { body })
      if (read === undefined) return
      const strategy = `${read.headers['server-timing']}`
      const answer = { ...read.value, mode: 'exact', hidden: 0, totalSimilar: undefined }
      const flaws = flawsOf(question, answer, this.#model.rank({ vector }), this.#model.everHad)
      this.#target.complain('POST', path, strategy, flaws)
      if (strategy.includes('memory')) inMemory += 1
      else if (performance.now() < until) await sleep(50)
      else return this.#tally.violate('other violations', 'memory does not answer')
    }
  }

  #call(method: string, path: string, body?: object): Promise<Outcome> {
    const [server] = this.#target.servers
    if (server === undefined) throw new Error('there is no server')
    return server.call(method, path, { key, body })
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
    const path = this.#model.path('embeddings')
    if (removed.length > 0) return this.#call('POST', `${path}/delete`, { text_ids: removed })
    const embeddings = added.map(({ id, vector }) => ({ text_id: id, vector: toBase64(vector) }))
    const batch = { instance_handle: this.#model.instance, vector_dim: dimensions, embeddings }
    return this.#call('POST', `${path}?on_conflict=replace`, batch)
  }

  #note({ added, removed }: Change): void {
    const ids = [...removed, ...added.map(({ id }) => id)]
    this.#remember(ids.flatMap((id) => this.#model.documents.get(id) ?? []))
    this.#remember(added)
    this.#model.drop(removed)
    this.#model.keep(added)
    this.truth.changes += 1
  }

  #remember(documents: readonly Document[]): void {
    this.#recent.unshift(...documents.map(({ vector }) => vector))
    this.#recent.length = Math.min(remembered, this.#recent.length)
  }
}
