import { printPath } from '../../filters/metadata-path.ts'
import type { FoundRanking } from '../search.ts'
import type { MissingField } from '../strategies/field-check.ts'

/** OpenAPI descriptions of the response headers of a search. */
export const searchHeaders = {
  'X-Search-Mode': {
    description:
      'exact: every vector of the project was compared in full. approximate: an index or codes of the vectors chose which ones were, as in large projects; at least 99 of 100 of the true results are found on average.',
    schema: { type: 'string' as const, enum: ['exact', 'approximate'] },
  },
  'X-Search-Hidden': {
    description:
      'Of the places of this page (limit), how many the threshold left empty: there is a document for the place, but its similarity is below the threshold. Absent where that was not found out, which can only be in an approximate search, or in one with a filter that leaves little.',
    schema: { type: 'integer' as const, minimum: 0 },
  },
  'X-Search-Note': {
    description:
      'Says that no document has a field that metadata_path or the filter names (in projects of more than 1,000 documents the first 1,000 by text_id are looked at, and of very large metadata none where that takes long), or that the search index was measured to find less than is promised or asked for, where the project is too large for an exact search unless exact=true asks for one. Absent where there is nothing to say.',
    schema: { type: 'string' as const },
    example: 'No document of this project has a field "ref.bok" in its metadata',
  },
  RateLimit: {
    description:
      "Of a search for words that were sent to the provider: what is left (r) of the day's budgets of the project and of the caller, in texts and in characters, and for how many seconds (t).",
    schema: { type: 'string' as const },
    example:
      '"project-texts";r=993;t=3600, "project-characters";r=198210;t=3600, "caller-texts";r=193;t=3600, "caller-characters";r=38210;t=3600',
  },
  'Server-Timing': {
    description:
      'Milliseconds for access (key and permission), body, the search (named by its strategy: memory, memory-exact, matches, index or database-exact), the provider that words are for, and in total.',
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
