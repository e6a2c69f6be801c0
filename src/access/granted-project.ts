import type { Caller } from './caller.ts'
import type { Project } from './project.ts'
import type { Relation } from './rules.ts'

/** What an operation on a project knows about its caller. */
export interface GrantedProject {
  readonly caller: Caller
  readonly relations: ReadonlySet<Relation>
  readonly project: Project
}

/** For whom, and with whose instance, texts are embedded. */
export interface TextRequest extends GrantedProject {
  /** The client's address, for callers without a key. */
  readonly address: string | undefined
}

/** What is left of a budget. */
export interface BudgetLeft {
  readonly name: string
  readonly rest: number
  /** Seconds until the budget begins anew. */
  readonly seconds: number
}

export interface EmbeddedTexts {
  /** In the order of the texts. */
  readonly vectors: readonly Float32Array[]
  /** What is left of each budget; empty if nothing was charged. */
  readonly left: readonly BudgetLeft[]
}
