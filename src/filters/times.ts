const dateRule = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

const isoLength = '2026-11-21T20:25:06.123Z'.length

/** Whether it is to be held against the microseconds that are stored, not against what pages show of them. */
export const isToMicroseconds = (time: string): boolean => time.length > isoLength

/**
 * A date (its beginning in UTC) or a time with its zone, as the service prints times: to the millisecond, or
 * where digits are given below it to the microsecond.
 * @returns undefined for what is none
 */
export function timeOf(text: string): string | undefined {
  if (!dateRule.test(text)) return undefined
  // Engines differ in what they make of more than three digits.
  const time = new Date(text.replace(/(\.\d{3})\d+/, '$1'))
  if (Number.isNaN(time.getTime())) return undefined
  // Of a day that its month does not have, the parser makes one of the next month.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  if (!day.toISOString().startsWith(text.slice(0, 10))) return undefined
  // By its zone it may be in a year that is written with other than four digits; PostgreSQL has no year 0.
  const inUtc = time.toISOString()
  if (!/^(?!0000)\d{4}-/.test(inUtc)) return undefined
  const [, finer = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? []
  // Zeros there are how some programs print milliseconds.
  return Number(finer) === 0 ? inUtc : `${inUtc.slice(0, -1)}${finer.padEnd(3, '0')}Z`
}
