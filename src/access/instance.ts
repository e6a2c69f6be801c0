import type { instances } from '../db/schema.ts'

/** An LLM service instance with the handle of its owner. */
export interface Instance extends Readonly<typeof instances.$inferSelect> {
  readonly owner: string
}
