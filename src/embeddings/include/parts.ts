export const partNames = ['text', 'metadata', 'vector'] as const

/** Which parts of an embedding an answer shows, in addition to its ids, `vector_dim` and dates. */
export type Parts = Readonly<Record<(typeof partNames)[number], boolean>>

export const allParts: Parts = { text: true, metadata: true, vector: true }

export const vectorFormats = ['json', 'base64'] as const

/** How an answer writes vectors: as numbers, or as base64 of little-endian float32. */
export type VectorFormat = (typeof vectorFormats)[number]
