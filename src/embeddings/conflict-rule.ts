/** What to do with an embedding whose text_id exists already. */
export const conflictRules = ['error', 'skip', 'replace'] as const
export type ConflictRule = (typeof conflictRules)[number]
