/** In whose form an embedding provider is asked. */
export const requestFormats = ['openai', 'cohere', 'gemini'] as const
/** Who may have texts embedded for a project: nobody, who has a share of it too, or whoever may read it. */
export const textQueryAudiences = ['off', 'members', 'everybody'] as const

/** How many texts and characters of them are embedded a day, for all callers and for each. */
export interface TextQueryBudget {
  readonly requests?: number | undefined
  readonly characters?: number | undefined
  readonly caller_requests?: number | undefined
  readonly caller_characters?: number | undefined
}

/** What a project has that says nothing else. */
export const usualBudget = {
  requests: 1_000,
  characters: 200_000,
  caller_requests: 200,
  caller_characters: 40_000,
} as const satisfies TextQueryBudget
