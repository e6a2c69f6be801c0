import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../shared/random-numbers.ts'
import {
  HttpClient,
  isUnknown,
  linesType,
  type Outcome,
  succeeded,
  wasRefused,
  wasUnsent,
} from './http-client.ts'
import { endOfLines, fatesOf, linesAtOnce } from './judgements.ts'
import { lines, textOf, uploadBody } from './texts.ts'
import {
  type Batch,
  friend,
  type Holding,
  owners,
  type Plot,
  type Role,
  type World,
} from './world.ts'

const roles: readonly Role[] = ['reader', 'editor', 'none']
/** After an answer that says that nothing works just now. */
const pauseMs = 10
/** Dimensions up to which lines are so short that bytes do not end a transaction. */
const shortLine = 64
/** Texts of one replacement. */
const mostReplaced = 20

export interface LoadOptions {
  /** Never deletes all embeddings at once, since those that come after it are another collection. */
  readonly keepsCollections?: boolean
  /** Every answer goes here as well. */
  readonly onOutcome?: (outcome: Outcome, what: string, handle: string) => void
  /** Whether a refusal, which is a violation otherwise, may be. */
  readonly isExcused?: (outcome: Outcome, handle: string) => boolean
}

export interface Load {
  /** Lets every worker finish its request, and ends. */
  stop(): Promise<void>
}

/** One worker for each project, all at the same time. */
export function startLoad(world: World, random: () => number, options: LoadOptions = {}): Load {
  let stopping = false
  const running = world.plots.map((plot) => {
    const own = randomNumbers(Math.floor(random() * 2 ** 32))
    return new Worker(world, plot, own, options).run(() => !stopping)
  })
  return {
    stop: async () => {
      stopping = true
      await Promise.all(running)
    },
  }
}

/** Works on one project with one request at a time, and writes down what was acknowledged. */
class Worker {
  readonly #world: World
  readonly #plot: Plot
  readonly #holding: Holding
  readonly #random: () => number
  readonly #client: HttpClient
  readonly #options: LoadOptions

  constructor(world: World, plot: Plot, random: () => number, options: LoadOptions) {
    this.#world = world
    this.#plot = plot
    this.#holding = plot.holding
    this.#random = random
    this.#options = options
    this.#client = new HttpClient(world.url, world.tally, random() < 0.8)
  }

  async run(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const outcome = await this.#step()
      if (isUnknown(outcome) || wasUnsent(outcome)) await sleep(pauseMs)
    }
    this.#client.close()
  }

  #step(): Promise<Outcome> {
    const { stored, certain } = this.#holding
    const dice = this.#random()
    if (!certain || dice < 0.2) return this.#read()
    const isFull = stored.size > this.#plot.shape.most || dice < 0.21
    if (isFull && this.#options.keepsCollections !== true) return this.#clear()
    if (dice < 0.35) return this.#delete()
    if (dice < 0.42) return this.#share()
    if (dice < 0.45) return this.#transfer()
    if (dice < 0.55) return this.#replace()
    if (dice < 0.63 && this.#holding.dimensions <= shortLine) return this.#uploadLines()
    return this.#upload()
  }

  async #call(
    method: string,
    path: string,
    body?: object | string,
    contentType?: string,
  ): Promise<Outcome> {
    const key = this.#world.keys.get(this.#holding.owner) ?? ''
    const outcome = await this.#client.call(method, path, { key, body, contentType })
    this.#options.onOutcome?.(outcome, `${method} ${path}`, this.#holding.handle)
    return outcome
  }

  async #upload(): Promise<Outcome> {
    const size = 1 + Math.floor(this.#random() * this.#plot.shape.batch)
    const batch = this.#holding.newBatch(size)
    const outcome = await this.#sendBatch(batch)
    if (succeeded(outcome)) this.#acknowledge(batch)
    else if (isUnknown(outcome)) return this.#uncertain(batch, outcome)
    else if (wasRefused(outcome)) this.#refused('an upload of new text_ids', outcome)
    return outcome
  }

  #sendBatch({ textIds }: Batch): Promise<Outcome> {
    const { handle, dimensions } = this.#holding
    const body = uploadBody(textIds, handle, dimensions)
    return this.#call('POST', this.#holding.path('embeddings'), body)
  }

  #acknowledge(batch: Batch): void {
    this.#holding.keep(batch)
    this.#world.tally.acknowledged += 1
  }

  /** Sends it again as a client would, or leaves it to the verification. */
  async #uncertain(batch: Batch, first: Outcome): Promise<Outcome> {
    if (first.status !== 503) {
      this.#holding.unknown.push(batch)
      return first
    }
    const again = await this.#sendBatch(batch)
    if (isUnknown(again)) this.#holding.unknown.push(batch)
    else if (succeeded(again)) this.#acknowledge(batch)
    // Ours, as the verification is to find: nobody else uses these text_ids.
    else if (again.status === 409) this.#holding.keep(batch)
    else if (wasRefused(again)) this.#refused('a repeated upload', again)
    if (succeeded(again)) this.#world.tally.foundUndone += 1
    if (again.status === 409) this.#world.tally.foundDone += 1
    return again
  }

  /** Stored is what a line of the answer says; of the other transactions each is there wholly or not. */
  async #uploadLines(): Promise<Outcome> {
    const { dimensions, unknown } = this.#holding
    const { textIds } = this.#holding.newBatch(Math.ceil((1 + 2 * this.#random()) * linesAtOnce))
    const body = lines(textIds, dimensions)
    const outcome = await this.#call('POST', this.#holding.path('embeddings'), body, linesType)
    const { stored, status } = endOfLines(outcome)
    const isWhole = succeeded(outcome) && status === outcome.status
    const isPartial = succeeded(outcome) || isUnknown(outcome)
    const answer = isWhole ? 'whole' : isPartial ? 'partial' : 'refused'
    for (const { fate, ...batch } of fatesOf(textIds, stored, answer)) {
      if (fate === 'stored') this.#acknowledge(batch)
      else if (fate === 'lost') {
        this.#world.tally.violate('lost', `'${batch.textIds[0]}' at its upload`)
      } else if (fate === 'unknown') unknown.push(batch)
    }
    if (wasRefused({ ...outcome, status }))
      this.#refused('an upload of lines', { ...outcome, status })
    return isWhole ? outcome : { ...outcome, status: outcome.status === 200 ? 503 : outcome.status }
  }

  /** What was stored is there afterwards as it was or as it shall be. */
  async #replace(): Promise<Outcome> {
    const { stored, versions, handle, dimensions } = this.#holding
    const before = (textId: string) => versions.get(textId) ?? [0]
    const textIds = [...stored].slice(-mostReplaced).filter((id) => before(id).length === 1)
    if (textIds.length === 0) return this.#upload()
    const next = (textId: string) => (before(textId)[0] ?? 0) + 1
    const body = uploadBody(textIds, handle, dimensions, next)
    const path = `${this.#holding.path('embeddings')}?on_conflict=replace`
    const outcome = await this.#call('POST', path, body)
    for (const textId of textIds) {
      if (succeeded(outcome)) versions.set(textId, [next(textId)])
      else if (isUnknown(outcome)) versions.set(textId, [...before(textId), next(textId)])
    }
    if (wasRefused(outcome)) this.#refused('a replacement', outcome)
    return outcome
  }

  async #delete(): Promise<Outcome> {
    const { stored, doubtful } = this.#holding
    const textId = this.#pick()
    if (textId === undefined) return this.#upload()
    const name = encodeURIComponent(textId)
    const path = this.#holding.path('embeddings')
    const url = this.#random() < 0.7 ? `${path}/${name}` : `${path}?text_id=${name}`
    const outcome = await this.#call('DELETE', url)
    if (succeeded(outcome) || isUnknown(outcome)) stored.delete(textId)
    if (isUnknown(outcome)) doubtful.add(textId)
    else if (wasRefused(outcome)) this.#refused(`the deletion of '${textId}'`, outcome)
    return outcome
  }

  async #clear(): Promise<Outcome> {
    // What is in doubt would have to be counted into "all".
    if (this.#holding.unknown.length + this.#holding.doubtful.size > 0) return this.#read()
    const outcome = await this.#call('DELETE', this.#holding.path('embeddings'))
    if (succeeded(outcome)) this.#holding.stored.clear()
    else if (isUnknown(outcome)) this.#holding.clearing = true
    else if (wasRefused(outcome)) this.#refused('the deletion of all', outcome)
    return outcome
  }

  async #share(): Promise<Outcome> {
    const [before = 'none'] = this.#holding.roles
    const role = roles.filter((other) => other !== before)[Math.floor(this.#random() * 2)] ?? 'none'
    const path = `${this.#holding.path('projects')}/share`
    const outcome =
      role === 'none'
        ? await this.#call('DELETE', `${path}/${friend}`)
        : await this.#call('POST', path, { share_with_handle: friend, role })
    if (succeeded(outcome)) this.#holding.roles = [role]
    else if (isUnknown(outcome)) this.#holding.roles = [before, role]
    else if (wasRefused(outcome)) this.#refused('a change of a share', outcome)
    return outcome
  }

  async #transfer(): Promise<Outcome> {
    const { owner } = this.#holding
    const next = owners.find((other) => other !== owner) ?? owner
    const path = `${this.#holding.path('projects')}/transfer-ownership`
    const outcome = await this.#call('POST', path, { new_owner_handle: next })
    if (succeeded(outcome)) this.#holding.owners = [next]
    else if (isUnknown(outcome)) this.#holding.owners = [owner, next]
    else if (wasRefused(outcome)) this.#refused('a transfer', outcome)
    return outcome
  }

  /** A search by id or by vector, a list, or one text; their answers must be of what may be there. */
  async #read(): Promise<Outcome> {
    const textId = this.#pick()
    const { certain, dimensions } = this.#holding
    const dice = this.#random()
    if (dice < 0.3 || textId === undefined) {
      return this.#expect200('a list', `${this.#holding.path('embeddings')}?limit=20`)
    }
    const name = encodeURIComponent(textId)
    if (dice < 0.5 && certain) {
      return this.#expect200('a text', `${this.#holding.path('embeddings')}/${name}`)
    }
    const similars = this.#holding.path('similars')
    if (dice < 0.75 && certain) return this.#expect200('a search by id', `${similars}/${name}`)
    const body = { vector: textOf(textId, dimensions).vector }
    return this.#expect200('a search', `${similars}?count=5`, body)
  }

  async #expect200(what: string, path: string, body?: object): Promise<Outcome> {
    const outcome = await this.#call(body === undefined ? 'GET' : 'POST', path, body)
    if (wasRefused(outcome) && this.#holding.certain) this.#refused(what, outcome)
    return outcome
  }

  #refused(what: string, outcome: Outcome): void {
    const { status, body } = outcome
    // Answers 5xx are counted where they arrive.
    if (status >= 500 || this.#options.isExcused?.(outcome, this.#holding.handle)) return
    const text = `${what} in ${this.#holding.path('')}: ${status} ${JSON.stringify(body)}`
    this.#world.tally.violate('other violations', text)
  }

  /** Any text that is there for certain. */
  #pick(): string | undefined {
    const { stored } = this.#holding
    const index = Math.floor(this.#random() * stored.size)
    return [...stored][index]
  }
}
