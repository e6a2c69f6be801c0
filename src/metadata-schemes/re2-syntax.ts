import { RE2JS } from 're2js'

const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
const others = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`

/** The long names of Unicode's general categories. RE2 knows only the short ones. */
const categories = new Map(
  `Letter L, Uppercase_Letter Lu, Lowercase_Letter Ll, Titlecase_Letter Lt, Modifier_Letter Lm,
  Other_Letter Lo, Mark M, Combining_Mark M, Nonspacing_Mark Mn, Spacing_Mark Mc,
  Enclosing_Mark Me, Number N, Decimal_Number Nd, digit Nd, Letter_Number Nl, Other_Number No,
  Punctuation P, punct P, Connector_Punctuation Pc, Dash_Punctuation Pd, Open_Punctuation Ps,
  Close_Punctuation Pe, Initial_Punctuation Pi, Final_Punctuation Pf, Other_Punctuation Po,
  Symbol S, Math_Symbol Sm, Currency_Symbol Sc, Modifier_Symbol Sk, Other_Symbol So,
  Separator Z, Space_Separator Zs, Line_Separator Zl, Paragraph_Separator Zp, Other C,
  Control Cc, cntrl Cc, Format Cf, Private_Use Co`
    .split(/,\s+/)
    .map((names): [string, string] => [names.split(' ')[0] ?? '', names.split(' ')[1] ?? '']),
)

/**
 * Translates a pattern of JSON Schema (ECMAScript) to RE2's syntax. The library translates escapes
 * such as \u0041, but limits \s to ASCII and knows Unicode properties only by their short names.
 */
export function toRe2(pattern: string): string {
  let inClass = false
  const tokens = /\\[pP]\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}|\\.|[[\]]/gsu
  return RE2JS.translateRegExp(pattern).replace(tokens, (token, name: string | undefined) => {
    if (name !== undefined) return `${token.slice(0, 2)}{${categories.get(name) ?? name}}`
    if (token === '[') inClass = true
    if (token === ']') inClass = false
    if (token === '\\s') return inClass ? space : `[${space}]`
    if (token === '\\S') return inClass ? others : `[${others}]`
    return token
  })
}
