/**
 * Names what a secret is sealed for by parts of its row that never change, so that a sealed text
 * that is copied to another row does not open there.
 */
export const userSecret = (handle: string) => `user:${handle}`

export const instanceSecret = (ownerId: number, handle: string) => `instance:${ownerId}/${handle}`
