const dateRule = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

const isoLength = '2026-11-21T20:25:06.123Z'.length

/** Whether to compare with the stored microseconds, not with the milliseconds that pages show. */
export const isToMicroseconds = (time: string): boolean => time.length > isoLength

/**
 * Reads a date (its beginning in UTC) or a time with its zone, and prints it as the service does:
 * to the millisecond, or to the microsecond if finer digits are given.
 * @returns undefined if the text is neither
 */
export function timeOf(text: string): string | undefined {
  if (!dateRule.test(text)) return undefined
  // Engines differ in how they read more than three digits.
  const time = new Date(text.replace(/(\.\d{3})\d+/, '$1'))
  if (Number.isNaN(time.getTime())) return undefined
  // If its month has no such day, the parser takes one of the next month.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  if (!day.toISOString().startsWith(text.slice(0, 10))) return undefined
  // In UTC its year may not have four digits; PostgreSQL has no year 0.
  const inUtc = time.toISOString()
  if (!/^(?!0000)\d{4}-/.test(inUtc)) return undefined
  const [, finer = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? []
  // Some programs print milliseconds with three more zeros.
  return Number(finer) === 0 ? inUtc : `${inUtc.slice(0, -1)}${finer.padEnd(3, '0')}Z`
}
