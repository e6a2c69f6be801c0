/** `12 MB` */
export function printBytes(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const size = Number((bytes / 1_000 ** power).toPrecision(2))
  return `${size.toLocaleString('en-US')} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}
