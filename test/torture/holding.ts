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
