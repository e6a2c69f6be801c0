import type { Caller } from './caller.ts'
import type { Project } from './project.ts'
import type { Relation } from './rules.ts'

/** What an operation on a project has found out about who calls it. */
export interface GrantedProject {
  readonly caller: Caller
  readonly relations: ReadonlySet<Relation>
  readonly project: Project
}

/** For whom texts are embedded. */
export interface Asker extends GrantedProject {
  /** Of the client, for callers without a key. */
  readonly address: string | undefined
}

/** What is left of a budget. */
export interface BudgetLeft {
  readonly name: string
  readonly rest: number
  /** Until it begins anew. */
  readonly seconds: number
}

export interface EmbeddedTexts {
  /** In the order of the texts. */
  readonly vectors: readonly Float32Array[]
  /** Of each budget; none where nothing was charged. */
  readonly left: readonly BudgetLeft[]
}
