import type { Dice } from './dice.ts'
import { type Filtered, holds, isExcluded } from './holds.ts'
import { type JsonObject, newMetadata } from './metadata.ts'
import { cosine, type Kind, normOf, VectorSource } from './vectors.ts'

export interface Document extends Filtered {
  readonly kind: Kind
  readonly vector: Float32Array
  readonly norm: number
  readonly text: string | undefined
  /** Known once the service has shown it. */
  createdAt: string | undefined
}

/** What of a search decides what its results are, and in which order. */
export interface Sought {
  readonly vector: Float32Array
  /** A document that is no result. */
  readonly without?: string | undefined
  readonly filter?: JsonObject | undefined
  readonly metadata_path?: string | undefined
  readonly metadata_value?: string | undefined
}

export interface Ranked {
  readonly document: Document
  readonly similarity: number
}

const mostRecent = 20

/** The handle of the instance that projects of these dimensions use. */
export const instanceFor = (dimensions: number) => `d${dimensions}`

/** What is stored in a project, as far as the service has acknowledged it. */
export class Model {
  readonly documents = new Map<string, Document>()
  /** All text_ids that it ever had, so that what comes back of the deleted ones is known. */
  readonly everHad = new Set<string>()
  /** The last ones that came, in this or another version: what was seen before may hide them. */
  recent: string[] = []
  /** What was asked before, so that it is asked again after a change. */
  readonly filters: JsonObject[] = []
  readonly source: VectorSource
  readonly kinds: Kind[]
  owner: string
  readonly handle: string
  #next = 0

  constructor(owner: string, handle: string, dimensions: number, kinds: Kind[], dice: Dice) {
    this.owner = owner
    this.handle = handle
    this.kinds = kinds
    this.source = new VectorSource(dimensions, dice)
  }

  get instance(): string {
    return instanceFor(this.dimensions)
  }

  get dimensions(): number {
    return this.source.dimensions
  }

  get components(): number {
    return this.documents.size * this.dimensions
  }

  get all(): Document[] {
    return [...this.documents.values()]
  }

  path = (collection: string) => `/v1/${collection}/${this.owner}/${this.handle}`

  ofKind = (kind: Kind) => this.all.filter((document) => document.kind === kind)

  keep(documents: readonly Document[]): void {
    for (const document of documents) {
      this.documents.set(document.id, document)
      this.everHad.add(document.id)
    }
    this.recent = documents.slice(-mostRecent).map(({ id }) => id)
  }

  drop(textIds: readonly string[]): void {
    for (const textId of textIds) this.documents.delete(textId)
  }

  /** Of names that other projects use as well. */
  newDocument(dice: Dice, kind: Kind, id = this.#newId(dice, kind)): Document {
    const vector = this.source.next(kind)
    const text = dice.maybe(
      0.6,
      () => `text ${dice.whole(0, 1e9)} ${'größer 字 '.repeat(dice.whole(0, 5))}`,
    )
    const norm = normOf(vector)
    return { id, kind, vector, norm, text, metadata: newMetadata(dice), createdAt: undefined }
  }

  newDocuments = (dice: Dice, count: number) =>
    Array.from({ length: count }, () => this.newDocument(dice, dice.of(this.kinds)))

  /** All that may be results, most similar first. */
  rank({ vector, without, filter, metadata_path, metadata_value }: Sought): Ranked[] {
    const norm = normOf(vector)
    const ranked: Ranked[] = []
    for (const document of this.documents.values()) {
      if (document.id === without || (filter && !holds(filter, document))) continue
      if (metadata_path !== undefined && metadata_value !== undefined) {
        if (isExcluded(metadata_path, metadata_value, document)) continue
      }
      const similarity = cosine(vector, norm, document.vector, document.norm)
      ranked.push({ document, similarity })
    }
    return ranked.sort((a, b) => b.similarity - a.similarity)
  }

  /** None that is stored; perhaps one that was deleted. */
  #newId(dice: Dice, kind: Kind): string {
    for (;;) {
      this.#next += 1
      const id = `${kind}-${this.#next}${dice.of(endings)}`
      if (!this.documents.has(id)) return id
    }
  }
}

const endings = ['', '', '', ' é', '/x', '%41', '字', '😀', '\uffee', "'"]
