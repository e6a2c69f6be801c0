import { badRequest } from './errors.ts'

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Added by a schema's own rule. `item` is the client's name for an item of a list. */
  readonly params?: { readonly item?: string } | undefined
}

/** Why a schema refuses a value. */
export interface Refusal {
  readonly issues: readonly Issue[]
}

const shownIssues = 5

/**
 * Describes the first few errors in what a client has sent.
 * @param target `query`, `param`, or `json` for a body
 */
export function invalid({ issues: all }: Refusal, target: string) {
  const issues = withoutLengths(all)
  const lines = issues.slice(0, shownIssues).map((issue) => describe(target, issue))
  if (issues.length > shownIssues) lines.push(`and ${issues.length - shownIssues} more`)
  return badRequest(lines.join('; '))
}

/**
 * Drops length errors at places with a wrong type: Zod counts the characters of a string given
 * instead of a list.
 */
function withoutLengths(issues: readonly Issue[]): readonly Issue[] {
  const placeOf = ({ path }: Issue) => path.map(String).join('.')
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  const isLength = ({ code }: Issue) => code === 'too_big' || code === 'too_small'
  return issues.filter((issue) => !(isLength(issue) && mistyped.has(placeOf(issue))))
}

function describe(target: string, { path, message, params }: Issue): string {
  // Messages about query parameters are complete sentences; all others need the field's name.
  if (target === 'query') return message
  const where = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
  const item = params?.item === undefined ? '' : ` (${params.item})`
  if (message.endsWith('received undefined')) {
    return `${where === '' ? 'a JSON body' : where} is required${item}`
  }
  if (message.startsWith('is required')) return `${where} ${message}${item}`
  return (where === '' ? message : `${where}: ${message}`) + item
}
