import { z } from 'zod'
import { HttpClient, succeeded } from './http-client.ts'
import { flawsOfCounts, versionOf } from './judgements.ts'
import type { Tally } from './tally.ts'
import { uploadBody } from './texts.ts'
import { friend, type Holding, holdingsOf, owners, type Role, type World } from './world.ts'

const pageSize = 200
/** So many batches in doubt are sent again. */
const sentAgain = 2

/** Of a list. */
const Page = z.object({
  total_count: z.number(),
  embeddings: z.array(
    z.object({
      text_id: z.string(),
      vector: z.array(z.number()),
      text: z.string().optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
})
type Page = z.output<typeof Page>
type Listed = Page['embeddings'][number]
const Counted = z.object({ embedding_count: z.number() })
/** Of a search. */
const Found = z.object({ results: z.array(z.object({ id: z.string() })) })
const Shares = z.object({
  shared_with: z.array(z.object({ user_handle: z.string(), role: z.enum(['reader', 'editor']) })),
})

/** Reads everything back, and knows afterwards what has become of what had no answer. */
export async function verify(world: World): Promise<void> {
  const client = new HttpClient(world.url, world.tally)
  const verification = new Verification(client, world)
  for (const holding of holdingsOf(world)) await verification.of(holding)
  await verification.ofService()
  client.close()
}

class Verification {
  readonly #client: HttpClient
  readonly #tally: Tally
  readonly #key: string

  constructor(client: HttpClient, { tally, adminKey }: World) {
    this.#client = client
    this.#tally = tally
    this.#key = adminKey
  }

  /** By what it says of itself. */
  async ofService(): Promise<void> {
    const report = await this.#get('/v1/admin/sanity-check')
    // Warnings are about indexes that are not built yet.
    if (Object(report).status !== 'FAILED') return
    this.#tally.violate('other violations', `the sanity check: ${JSON.stringify(report)}`)
  }

  async of(holding: Holding): Promise<void> {
    if (!(await this.#settleOwner(holding))) return
    await this.#settleRole(holding)
    const found = await this.#readAll(holding)
    this.#settleClearing(holding, found)
    for (const textId of holding.doubtful) {
      this.#found(!found.has(textId))
      if (found.has(textId)) holding.stored.add(textId)
    }
    holding.doubtful.clear()
    const unknown = holding.unknown.splice(0)
    const again = unknown.slice(0, sentAgain)
    const were = unknown.map((batch) => this.#settleBatch(holding, batch.textIds, found))
    this.#compare(holding, found)
    await this.#compareCounts(holding, found.size)
    await this.#search(holding, found)
    for (const [index, { textIds }] of again.entries()) {
      await this.#sendAgain(holding, textIds, were[index] ?? 'absent')
    }
  }

  async #get(path: string): Promise<unknown> {
    return (await this.#client.expect('GET', path, { key: this.#key })).body
  }

  #found(done: boolean): void {
    if (done) this.#tally.foundDone += 1
    else this.#tally.foundUndone += 1
  }

  async #settleOwner(holding: Holding): Promise<boolean> {
    const seen: string[] = []
    for (const owner of owners) {
      const path = holding.path('projects', owner)
      const { status } = await this.#client.call('GET', path, { key: this.#key })
      if (status === 200) seen.push(owner)
    }
    const [owner] = seen
    if (seen.length !== 1 || owner === undefined || !holding.owners.includes(owner)) {
      const text = `project ${holding.handle} is of '${seen}', not of one of '${holding.owners}'`
      this.#tally.violate('lost', text)
    }
    if (owner === undefined) return false
    if (holding.owners.length > 1) this.#found(owner !== holding.owner)
    holding.owners = [owner]
    return true
  }

  async #settleRole(holding: Holding): Promise<void> {
    const { shared_with } = Shares.parse(await this.#get(`${holding.path('projects')}/shared-with`))
    const [share] = shared_with.filter(({ user_handle }) => user_handle === friend)
    const role: Role = share?.role ?? 'none'
    if (!holding.roles.includes(role)) {
      const text = `the share of ${holding.handle} is '${role}', not one of '${holding.roles}'`
      this.#tally.violate('lost', text)
    }
    if (holding.roles.length > 1) this.#found(role !== holding.roles[0])
    holding.roles = [role]
  }

  async #readAll(holding: Holding): Promise<Map<string, Listed>> {
    const found = new Map<string, Listed>()
    for (let offset = 0, total = 1; offset < total; offset += pageSize) {
      const path = `${holding.path('embeddings')}?limit=${pageSize}&offset=${offset}`
      const page = Page.parse(await this.#get(path))
      total = page.total_count
      for (const embedding of page.embeddings) found.set(embedding.text_id, embedding)
    }
    return found
  }

  #settleClearing(holding: Holding, found: ReadonlyMap<string, unknown>): void {
    if (!holding.clearing) return
    holding.clearing = false
    const present = [...holding.stored].filter((textId) => found.has(textId)).length
    if (present !== 0 && present !== holding.stored.size) {
      const text = `a deletion of all left ${present} of ${holding.stored.size} in ${holding.handle}`
      this.#tally.violate('partial', text)
    }
    this.#found(present === 0)
    if (present === 0) holding.stored.clear()
  }

  #settleBatch(holding: Holding, textIds: readonly string[], found: ReadonlyMap<string, unknown>) {
    const present = textIds.filter((textId) => found.has(textId))
    if (present.length !== 0 && present.length !== textIds.length) {
      const text = `${present.length} of ${textIds.length} of the batch of '${textIds[0]}'`
      this.#tally.violate('partial', text)
    }
    this.#found(present.length !== 0)
    for (const textId of present) holding.stored.add(textId)
    return present.length === 0 ? 'absent' : 'present'
  }

  #compare(holding: Holding, found: ReadonlyMap<string, Listed>): void {
    const { handle, stored } = holding
    for (const textId of stored) {
      const listed = found.get(textId)
      if (listed === undefined) this.#tally.violate('lost', `'${textId}' of ${handle}`)
      else this.#compareOne(listed, holding)
    }
    for (const textId of found.keys()) {
      if (stored.has(textId)) continue
      this.#tally.violate('undead', `'${textId}' of ${handle} is there`)
    }
  }

  async #compareCounts(holding: Holding, rows: number): Promise<void> {
    const { total_count } = Page.parse(await this.#get(`${holding.path('embeddings')}?limit=1`))
    const { embedding_count } = Counted.parse(await this.#get(holding.path('projects')))
    for (const flaw of flawsOfCounts(rows, { total_count, embedding_count })) {
      this.#tally.violate('other violations', `${holding.handle}: ${flaw}`)
    }
  }

  /** What came last is found by its own vector as it is stored. */
  async #search(holding: Holding, found: ReadonlyMap<string, Listed>): Promise<void> {
    const newest = [...holding.stored].at(-1) ?? ''
    const vector = found.get(newest)?.vector
    if (vector === undefined) return
    const body = { vector, limit: 1, exact: true }
    const path = holding.path('similars')
    const outcome = await this.#client.call('POST', path, { key: this.#key, body })
    const { data } = Found.safeParse(outcome.body)
    if (data?.results[0]?.id === newest) return
    const text = `a search for '${newest}': ${outcome.status} ${JSON.stringify(outcome.body)}`
    this.#tally.violate('lost', text)
  }

  /** One of the versions that it may be, and wholly. */
  #compareOne(listed: Listed, { dimensions, versions }: Holding): void {
    const possible = versions.get(listed.text_id) ?? [0]
    const version = versionOf(listed, possible, dimensions)
    if (version === undefined) this.#tally.violate('wrong vectors', `'${listed.text_id}'`)
    else if (possible.length > 1) versions.set(listed.text_id, [version])
  }

  /** A client that repeats what it got no answer to is told that it is there, or it is stored. */
  async #sendAgain(holding: Holding, textIds: readonly string[], was: 'absent' | 'present') {
    const { handle, dimensions } = holding
    const body = uploadBody(textIds, handle, dimensions)
    const path = holding.path('embeddings')
    const outcome = await this.#client.call('POST', path, { key: this.#key, body })
    const expected = was === 'absent' ? 201 : 409
    if (succeeded(outcome)) holding.keep({ textIds })
    if (outcome.status === expected) return
    const text = `the batch of '${textIds[0]}' (${was}), sent again: ${outcome.status} ${outcome.reason}`
    this.#tally.violate('other violations', text)
  }
}
