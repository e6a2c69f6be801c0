/** The providers whose request formats are known. */
export const requestFormats = ['openai', 'cohere', 'gemini'] as const
/**
 * Who may have texts embedded for a project: nobody, its owner and those with a share of it, or
 * everybody who may read it.
 */
export const textQueryAudiences = ['off', 'members', 'everybody'] as const

/** How many texts and characters are embedded a day, for all callers and for each caller. */
export interface TextQueryBudget {
  readonly requests?: number | undefined
  readonly characters?: number | undefined
  readonly caller_requests?: number | undefined
  readonly caller_characters?: number | undefined
}

/** The budget of a project that has none of its own. */
export const usualBudget = {
  requests: 1_000,
  characters: 200_000,
  caller_requests: 200,
  caller_characters: 40_000,
} as const satisfies TextQueryBudget
