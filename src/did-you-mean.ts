const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')

/** Other systems' names for search parameters, in plain form, with their equivalents here. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  where: ['filter'],
  filters: ['filter'],
  wheredocument: ['filter'],
  k: ['limit'],
  topk: ['limit', 'k'],
  nresults: ['limit', 'k'],
  maxresults: ['limit', 'k'],
  limit: ['k'],
  count: ['k'],
  query: ['vector'],
  queryvector: ['vector'],
  queryembedding: ['vector'],
  queryembeddings: ['searches', 'vector'],
  queries: ['searches'],
  embedding: ['vector'],
  id: ['text_id'],
  ids: ['text_ids', 'text_id'],
  skip: ['offset'],
  minscore: ['threshold'],
  minsimilarity: ['threshold'],
  scorethreshold: ['threshold'],
  fields: ['include'],
  withpayload: ['include'],
  withmetadata: ['include'],
  withvectors: ['include'],
  includemetadata: ['include'],
  includevalues: ['include'],
  groupby: ['group_by'],
}

/**
 * Finds the known name that was probably meant. It first looks up other systems' names. Then it
 * compares names without case, `_` and `-`: up to a third of the letters (at least one, at most
 * three) may be missing, wrong, superfluous or swapped. Of equally close names, the first wins.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const given = plain(name)
  // A name this long cannot be close to any known name.
  if (given === '' || given.length > 64) return undefined
  const same = Object.hasOwn(elsewhere, given) ? elsewhere[given] : undefined
  const meant = same?.find((candidate) => known.includes(candidate))
  if (meant !== undefined) return meant
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of known) {
    const wanted = plain(candidate)
    const distance = editDistance(given, wanted)
    const allowed = Math.min(3, Math.max(1, Math.floor(wanted.length / 3)))
    if (distance <= allowed && distance < wanted.length && distance < (best?.distance ?? 4)) {
      best = { candidate, distance }
    }
  }
  return best?.candidate
}

/**
 * Optimal string alignment: the Levenshtein distance, but two swapped neighbours count as one
 * mistake.
 */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const wrong = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : wrong
      row[j] = Math.min(wrong, swapped, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}

/** Longer names are not repeated, because a key put in the wrong place is longer. */
const maxShown = 40

/** Says that there is nothing of this name, and which known name was probably meant. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const shown = name.length > maxShown ? `of ${name.length} characters` : `'${name}'`
  const meant = nearest(name, known)
  if (meant !== undefined) return `Unknown ${what} ${shown}: did you mean ${meant}?`
  const choice = known.length === 0 ? 'there are none here' : `known here: ${known.join(', ')}`
  return `Unknown ${what} ${shown}; ${choice}`
}
