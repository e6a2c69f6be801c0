/** The parameters of BM25, as Lucene has them. */
const k1 = 1.2
const b = 0.75

/** How much a term tells that so many of all documents have. */
export const idfOf = (frequency: number, documents: number): number =>
  Math.log1p((documents - frequency + 0.5) / (frequency + 0.5))

/** @param relativeLength of the document, to the average */
export const score = (idf: number, frequency: number, relativeLength: number): number =>
  (idf * frequency) / (k1 * (1 - b + b * relativeLength) + frequency)
