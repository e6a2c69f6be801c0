import type { Holding } from '../holding.ts'
import { HttpClient } from '../http-client.ts'
import { flawsOfPage } from '../judgements.ts'
import { adminKey } from '../service.ts'
import { textOf } from '../texts.ts'
import { Found, Page } from '../verify.ts'
import type { Witness } from '../witness.ts'
import type { World } from '../world.ts'

const pageSize = 20

/** Reads over other connections what has just been acknowledged. */
export class FreshReads {
  readonly #client: HttpClient
  readonly #world: World
  readonly #witness: Witness
  readonly #random: () => number
  /** How many were compared. */
  count = 0

  constructor(world: World, witness: Witness, random: () => number) {
    this.#client = new HttpClient(world.url, world.tally)
    this.#world = world
    this.#witness = witness
    this.#random = random
  }

  /** While nobody changes the project. */
  readonly compare = async (holding: Holding): Promise<void> => {
    if (!holding.certain) return
    await (this.#random() < 0.5 ? this.#list(holding) : this.#search(holding))
  }

  close(): void {
    this.#client.close()
  }

  async #list(holding: Holding): Promise<void> {
    const { size } = holding.stored
    // What is missing anywhere is missing on the last page.
    const last = Math.max(0, size - pageSize / 2)
    const offset = this.#random() < 0.5 ? last : Math.floor(this.#random() * size)
    const path = `${holding.path('embeddings')}?limit=${pageSize}&offset=${offset}`
    const body = await this.#read(holding, 'GET', path)
    if (body === undefined) return
    const flaws = flawsOfPage(Page.parse(body), holding, { limit: pageSize, offset })
    for (const flaw of flaws) this.#complain(path, flaw)
  }

  /** What came last is found by its own vector. */
  async #search(holding: Holding): Promise<void> {
    const newest = [...holding.stored].at(-1)
    if (newest === undefined) return
    const [version = 0, ...more] = holding.versions.get(newest) ?? []
    if (more.length > 0) return
    const { vector } = textOf(newest, holding.dimensions, version)
    const path = holding.path('similars')
    const question = JSON.stringify({ vector, limit: 1, exact: true })
    const body = await this.#read(holding, 'POST', path, question)
    if (body === undefined) return
    const [first] = Found.parse(body).results
    if (first?.id !== newest) this.#complain(path, `'${first?.id}' instead of '${newest}'`)
  }

  /** @returns the body of a 200 */
  async #read(holding: Holding, method: string, path: string, body?: string): Promise<unknown> {
    const outcome = await this.#client.call(method, path, { key: adminKey, body })
    this.#witness.see(outcome, `${method} ${path}`, holding.handle)
    this.count += 1
    if (outcome.status === 200) return outcome.body
    if (outcome.status !== 503) this.#complain(path, `${outcome.status} ${outcome.reason}`)
    return undefined
  }

  #complain(path: string, flaw: string): void {
    this.#world.tally.violate('wrong answers', `${path}: ${flaw}`)
  }
}
