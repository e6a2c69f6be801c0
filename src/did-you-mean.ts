const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')

/** What other systems call what is asked of a search here, each in its plain form. */
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
 * The known name that was probably meant, if any is close enough: what other systems call it; else case, `_` and `-` do not count, and up
 * to a third of the letters (at least one, at most three) may be missing, wrong, too many or swapped.
 * Of names that are equally close the first counts.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const given = plain(name)
  // What is longer than every name by more than the letters allowed need not be compared.
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

/** Optimal string alignment: Levenshtein's distance in which two neighbours swapped are one mistake. */
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
