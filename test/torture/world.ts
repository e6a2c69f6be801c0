import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { modelOf } from '../shared/model.ts'
import { HttpClient } from './http-client.ts'
import { adminKey, type Service } from './service.ts'
import type { Tally } from './tally.ts'

/** The two who own the projects by turns, and the one with whom they share them. */
export const owners = ['ann', 'bob'] as const
export const friend = 'cat'

/** Dimensions of the projects, the most texts of each, and the largest batch. */
const shapes = [
  { dimensions: 8, most: 200, batch: 100 },
  { dimensions: 64, most: 120, batch: 60 },
  { dimensions: 384, most: 80, batch: 30 },
  { dimensions: 1536, most: 50, batch: 40 },
] as const

export interface Plot {
  readonly holding: Holding
  readonly shape: (typeof shapes)[number]
}

/** Users with their keys, and the projects of the workers. */
export interface World {
  readonly url: string
  readonly tally: Tally
  readonly adminKey: string
  readonly keys: ReadonlyMap<string, string>
  readonly plots: readonly Plot[]
  /** A project that no worker changes; it is asked whether the server is well. */
  readonly probed: Holding
}

export const holdingsOf = ({ plots, probed }: World) => [
  probed,
  ...plots.map(({ holding }) => holding),
]

/** @throws when anything of it is refused */
export async function createWorld({ url, folder }: Service, tally: Tally): Promise<World> {
  const keyFile = join(folder, 'data', 'admin.key')
  const key = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : adminKey
  const client = new HttpClient(url, tally)
  const put = (path: string, body: object) => client.expect('PUT', path, { key, body })
  const keys = new Map<string, string>()
  for (const user of [...owners, friend]) {
    const { body } = await put(`/v1/users/${user}`, {})
    keys.set(user, String(Object(body).api_key))
  }
  const hold = async (handle: string, dimensions: number) => {
    await put(`/v1/llm-services/${owners[0]}/${handle}`, modelOf(dimensions))
    const holding = new Holding(handle, dimensions, owners[0])
    await put(holding.path('projects'), { instance_owner: owners[0], instance_handle: handle })
    return holding
  }
  const plots: Plot[] = []
  for (const shape of shapes) {
    plots.push({ shape, holding: await hold(`d${shape.dimensions}`, shape.dimensions) })
  }
  const probed = await hold('probed', 3)
  client.close()
  return { url, tally, adminKey: key, keys, plots, probed }
}

export type Role = 'reader' | 'editor' | 'none'

export interface Batch {
  readonly textIds: readonly string[]
}

/**
 * What is known of one project: by acknowledged requests, and by those without an answer, of which
 * both outcomes are possible until `verify` has looked.
 */
export class Holding {
  readonly handle: string
  readonly dimensions: number
  /** Who may own the project; more than one after a transfer without an answer. */
  owners: readonly string[]
  /** What the friend may be; more than one after a change without an answer. */
  roles: readonly Role[] = ['none']
  /** Uploaded with a 201 and not deleted. */
  readonly stored = new Set<string>()
  /** Of those that were replaced: what they may be, by how often; more than one without an answer. */
  readonly versions = new Map<string, readonly number[]>()
  /** Batches without an answer: all of it is there, or nothing. */
  readonly unknown: Batch[] = []
  /** Single deletions without an answer. */
  readonly doubtful = new Set<string>()
  /** A deletion of all without an answer: all that is `stored` is there, or nothing. */
  clearing = false
  #count = 0

  constructor(handle: string, dimensions: number, owner: string) {
    this.handle = handle
    this.dimensions = dimensions
    this.owners = [owner]
  }

  get owner(): string {
    return this.owners[0] ?? ''
  }

  /** Whether it is certain where the project is and what a change of it would meet. */
  get certain(): boolean {
    return this.owners.length === 1 && this.roles.length === 1 && !this.clearing
  }

  path(collection: string, owner = this.owner): string {
    return `/v1/${collection}/${owner}/${this.handle}`
  }

  /** A batch of text_ids that were never used before. */
  newBatch(size: number): Batch {
    this.#count += 1
    const name = `${this.handle}/${this.#count} `
    return { textIds: Array.from({ length: size }, (_, index) => `${name}é${index}`) }
  }

  keep({ textIds }: Batch): void {
    for (const textId of textIds) this.stored.add(textId)
  }
}
