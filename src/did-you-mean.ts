const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')

/** Other systems' names for search parameters, in plain form, by the name here. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  filter: ['where', 'filters', 'wheredocument'],
  limit: ['k', 'topk', 'nresults', 'maxresults'],
  k: ['topk', 'nresults', 'maxresults', 'limit', 'count'],
  searches: ['queryembeddings', 'queries'],
  vector: ['query', 'queryvector', 'queryembedding', 'queryembeddings', 'embedding'],
  text_ids: ['ids'],
  text_id: ['id', 'ids'],
  offset: ['skip'],
  threshold: ['minscore', 'minsimilarity', 'scorethreshold'],
  include: [
    'fields',
    'withpayload',
    'withmetadata',
    'withvectors',
    'includemetadata',
    'includevalues',
  ],
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
  for (const [candidate, names] of Object.entries(elsewhere)) {
    if (names.includes(given) && known.includes(candidate)) return candidate
  }
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
