import { z } from 'zod'

export const Result = z.object({
  id: z.string(),
  similarity: z.number(),
  group: z.unknown().optional(),
  text: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  vector: z.string().optional(),
})
export type Result = z.output<typeof Result>

/** What a search has answered, in whichever form. */
export interface Answer {
  readonly mode: string
  /** How it was found, as `Server-Timing` says; undefined in a batch. */
  readonly strategy?: string | undefined
  readonly hidden: number | undefined
  readonly totalSimilar: number | undefined
  readonly results: readonly Result[]
}

const results = z.array(Result)
export const SearchAnswer = z.object({ results, total_similar: z.number().optional() })
export const BatchAnswer = z.object({
  answers: z.array(
    z.object({
      mode: z.string(),
      hidden: z.number().optional(),
      total_similar: z.number().optional(),
      results,
    }),
  ),
})

const Shown = z.object({
  text_id: z.string(),
  vector: z.string().optional(),
  text: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  created_at: z.string(),
})
export type Shown = z.output<typeof Shown>

export const List = z.object({ embeddings: z.array(Shown), total_count: z.number() })
export const Deleted = z.object({ matched_count: z.number(), deleted_count: z.number() })
