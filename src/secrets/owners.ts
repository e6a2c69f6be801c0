/**
 * Whom a secret is sealed for: what never changes about its row, so that a sealed text which is
 * copied to another row does not open there.
 */
export const userSecret = (handle: string) => `user:${handle}`

export const instanceSecret = (ownerId: number, handle: string) => `instance:${ownerId}/${handle}`
