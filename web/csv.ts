/** Spreadsheets read such cells as formulas, even after spaces. An apostrophe makes them text. */
const formula = /^\s*[=+\-@\t\r\n＝＋－＠]/u

export function csvCell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",;\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A file for spreadsheets, with a header. Numbers are printed as they are. */
export function csvOf(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cell = (value: string | number) => (typeof value === 'number' ? value : csvCell(value))
  return [columns.join(), ...rows.map((row) => row.map(cell).join()), ''].join('\r\n')
}
