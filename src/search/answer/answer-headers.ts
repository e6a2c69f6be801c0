import { printPath } from '../../filters/metadata-path.ts'
import type { MissingField } from '../missing-field.ts'
import type { FoundRanking } from '../search.ts'

/** OpenAPI descriptions of the response headers of a search. */
export const searchHeaders = {
  'X-Search-Mode': {
    description:
      'exact: the search compared every vector of the project in full precision. approximate: an index, or codes of the vectors, chose the candidates, as in large projects; on average, at least 99 of 100 true results are found.',
    schema: { type: 'string' as const, enum: ['exact', 'approximate'] },
  },
  'X-Search-Hidden': {
    description:
      'The number of places on this page (limit) that the threshold left empty: there are documents for them, but their similarity is below the threshold. Absent if this is not known, which can only happen in an approximate search or with a filter that matches little.',
    schema: { type: 'integer' as const, minimum: 0 },
  },
  'X-Search-Note': {
    description:
      'Says that no document has a field named by metadata_path or the filter, or that the index finds less than promised or requested. The first is checked in the first 1,000 documents by text_id, and not in very large metadata if that takes long. The second is based on measurements, in projects that are too large for an exact search without exact=true. Absent if there is nothing to say.',
    schema: { type: 'string' as const },
    example: 'No document of this project has a field "ref.bok" in its metadata',
  },
  RateLimit: {
    description:
      "For a search by words that were sent to the provider: the rest (r) of today's budgets of the project and of the caller, in texts and in characters, and the seconds until they renew (t).",
    schema: { type: 'string' as const },
    example:
      '"project-texts";r=993;t=3600, "project-characters";r=198210;t=3600, "caller-texts";r=193;t=3600, "caller-characters";r=38210;t=3600',
  },
  'Server-Timing': {
    description:
      'Milliseconds for access (key and permission), the body, the search (named by its strategy: memory, memory-exact, matches, index or database-exact), the provider that embeds words, and in total.',
    schema: { type: 'string' as const },
    example: 'access;dur=0.9,memory;dur=4.2,total;dur=5.6',
  },
}

const shownPath = 100

/** The header X-Search-Note, in ASCII, as headers require. */
export function noteOf({ missingField, lowRecall }: FoundRanking): string | undefined {
  const notes = [
    missingField && noField(missingField),
    lowRecall === undefined
      ? undefined
      : `The search index finds ${(100 * lowRecall).toFixed(1)} % of the true results, as measured; exact=true finds all`,
  ].filter((note) => note !== undefined)
  return notes.length === 0 ? undefined : notes.join('; ')
}

function noField({ path: keys, lookedAt, isAll }: MissingField): string {
  const path = printPath(keys)
  const shown = JSON.stringify(path.length > shownPath ? `${path.slice(0, shownPath)}...` : path)
  const field = shown.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const none = isAll
    ? 'No document of this project has'
    : `None of the first ${lookedAt.toLocaleString('en-US')} documents by text_id has`
  return `${none} a field ${field} in its metadata`
}
