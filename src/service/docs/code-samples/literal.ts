/** How a language writes JSON values. */
interface Notation {
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
  readonly key: (name: string) => string
  /** Between the braces of an object and its members, if all are on one line. */
  readonly padding: string
  readonly indent: string
  /** Whether a comma follows the last of several lines. */
  readonly lastComma: boolean
}

const words = { true: 'true', false: 'false', null: 'null' }
export const jsonLiteral: Notation = {
  words,
  key: JSON.stringify,
  padding: '',
  indent: '  ',
  lastComma: false,
}
export const javascript: Notation = {
  words,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)),
  padding: ' ',
  indent: '  ',
  lastComma: true,
}
export const python: Notation = {
  words: { true: 'True', false: 'False', null: 'None' },
  key: JSON.stringify,
  padding: '',
  indent: '    ',
  lastComma: true,
}

/** In characters: the width that the documentation page shows without scrolling. */
const width = 80

/**
 * Prints a JSON value as a literal of a language, on several lines if one would be too long.
 * @param value undefined returns ''
 * @param margin the indentation of its first line
 */
export function literal(value: unknown, notation: Notation, margin = ''): string {
  if (value === undefined) return ''
  if (typeof value !== 'object' || value === null) return scalar(value, notation)
  const isList = Array.isArray(value)
  const [open, close] = isList ? '[]' : '{}'
  const written = (inner: string) =>
    Object.entries(value).map(([name, member]) => {
      const text = literal(member, notation, inner)
      return isList ? text : `${notation.key(name)}: ${text}`
    })
  const padding = isList ? '' : notation.padding
  const flat = `${open}${padding}${written(margin).join(', ')}${padding}${close}`
  if (margin.length + flat.length <= width && !flat.includes('\n')) return flat
  const inner = margin + notation.indent
  const lines = written(inner).map((member) => `${inner}${member}`)
  return `${open}\n${lines.join(',\n')}${notation.lastComma ? ',' : ''}\n${margin}${close}`
}

function scalar(value: unknown, { words }: Notation): string {
  const text = JSON.stringify(value)
  return text === 'true' || text === 'false' || text === 'null' ? words[text] : text
}
