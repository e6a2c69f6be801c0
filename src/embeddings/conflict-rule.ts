/** What becomes of an embedding whose text_id is there already. */
export const conflictRules = ['error', 'skip', 'replace'] as const
export type ConflictRule = (typeof conflictRules)[number]
