import { parseAccept } from 'hono/utils/accept'

/** The better one first: brotli is smaller than gzip for less time, at the levels that are used here. */
const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

export interface Choice {
  readonly coding: Coding
  /** Whether the client refuses what is not encoded. */
  readonly always: boolean
}

/**
 * The coding that a client would rather have than none, by RFC 9110, 12.5.3.
 * @param header its Accept-Encoding
 */
export function negotiate(header: string): Choice | undefined {
  const accepted = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
  const rest = accepted.get('*')
  const weightOf = (coding: Coding) =>
    accepted.get(coding) ?? (coding === 'gzip' ? accepted.get('x-gzip') : undefined) ?? rest ?? 0
  const [first, second] = codings
  const coding = weightOf(second) > weightOf(first) ? second : first
  const weight = weightOf(coding)
  // Without an entry of its own it is acceptable, unless `*` refuses it, but never the better choice.
  const plain = accepted.get('identity') ?? (rest === 0 ? 0 : undefined)
  if (weight === 0 || (plain !== undefined && plain > weight)) return undefined
  return { coding, always: plain === 0 }
}
