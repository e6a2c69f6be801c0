import { parseAccept } from 'hono/utils/accept'

/** The preferred coding comes first: at the levels used here, brotli is both smaller and faster. */
const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

export interface Choice {
  readonly coding: Coding
  /** Whether the client refuses unencoded answers. */
  readonly always: boolean
}

/**
 * Picks the coding that the client prefers to none, by RFC 9110, 12.5.3.
 * @param header the client's Accept-Encoding
 */
export function negotiate(header: string): Choice | undefined {
  const accepted = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
  const rest = accepted.get('*')
  const weightOf = (coding: Coding) =>
    accepted.get(coding) ?? (coding === 'gzip' ? accepted.get('x-gzip') : undefined) ?? rest ?? 0
  const [first, second] = codings
  const coding = weightOf(second) > weightOf(first) ? second : first
  const weight = weightOf(coding)
  // Without an entry, identity is acceptable unless `*` refuses it, but it is never preferred.
  const plain = accepted.get('identity') ?? (rest === 0 ? 0 : undefined)
  if (weight === 0 || (plain !== undefined && plain > weight)) return undefined
  return { coding, always: plain === 0 }
}
