/**
 * Whether a text has no NUL and no lone surrogates, which PostgreSQL cannot store or would change.
 */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
