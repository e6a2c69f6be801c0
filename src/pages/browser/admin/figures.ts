export const whole = (value: number): string => value.toLocaleString('en-US')

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** `24 bytes`, `7.7 MB`: in powers of a thousand. */
export function printBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit]}`
}

/** `99.7%` */
export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`
