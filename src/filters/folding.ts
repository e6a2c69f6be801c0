import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/*
 * What makes no difference between two texts: capital letters, compatible forms such as ﬁ and Ａ,
 * characters that nobody sees, and marks that a script can do without. Words, `$text` and highlights
 * all compare texts so; docs/guide/words.md says it to users.
 */

/** Scripts whose marks may be left out. In others, such as Devanagari or Thai, marks are vowels. */
const scriptsWithOptionalMarks = 'Zinh Latn Grek Cyrl Glag Copt Hebr Arab Syrc Samr Mand Ethi'
const ofThese = scriptsWithOptionalMarks.split(' ').map((script) => `\\p{scx=${script}}`)
/** In Arabic, the letters among these are the tatweel and small letters of the Quran. */
const leftOut = `\\p{DI}|(?=\\p{M})[${ofThese.join('')}]|(?=\\p{Lm})\\p{scx=Arab}`
const allLeftOut = new RegExp(leftOut, 'gu')
const isNotAscii = /[^\0-\x7f]/

/**
 * A text without what makes no difference. Small letters of capitals of small letters are the same
 * for ß, ẞ and SS, as by Unicode's full case folding; σ has two forms.
 */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  if (!isNotAscii.test(lower)) return lower
  const bare = text.normalize('NFKD').replace(allLeftOut, '')
  const letters = bare.toLowerCase().toUpperCase().toLowerCase()
  return letters.replaceAll('ς', 'σ').normalize()
}

/** Whether a character makes no difference, though it may be a letter. */
export const isInvisible = (character: string): boolean => /^\p{DI}$/u.test(character)

/** What is composed again: syllables of Hangul, and letters whose marks were not left out. */
const composed = String.raw`[\u0900-\u1dff\u3099\u309a\ua800-\uabff\U00011000-\U00016fff]`

/** The same as `folded` in the database, which may know another version of Unicode. */
export function foldedInSql(text: SQLWrapper): SQL {
  const bare = sql`regexp_replace(normalize(${text}, nfkd), ${sql.raw(`'${pattern()}'`)}, '', 'g')`
  const small = sql`replace(lower(upper(lower(${bare} collate "und-x-icu"))), 'ς', 'σ')`
  // Most texts are ASCII, and the rest takes ten times as long, or more where it is composed again.
  return sql`case when octet_length(${text}) = length(${text})
    then lower(${text} collate "C") collate "und-x-icu"
    else (select case when small ~ ${sql.raw(`'${composed}'`)} then normalize(small, nfc) else small end
      from (select ${small} as small offset 0) as folding) end`
}

let knownPattern: string | undefined

/** `leftOut` for PostgreSQL, whose regular expressions know no properties of Unicode. */
function pattern(): string {
  knownPattern ??= `[${rangesOf(allLeftOut).map(rangeInPattern).join('')}]`
  return knownPattern
}

/** Planes of Unicode that have marks or what nobody sees; others have ideographs, or nothing. */
const planes = [0, 1, 14]
const planeSize = 0x1_0000

/** The ranges of code points that match. */
function rangesOf(expression: RegExp): [first: number, last: number][] {
  const all = planes.flatMap((plane) =>
    Array.from({ length: planeSize }, (_, at) => String.fromCodePoint(plane * planeSize + at)),
  )
  const ranges: [number, number][] = []
  for (const [character] of all.join('').matchAll(expression)) {
    const codePoint = character.codePointAt(0) ?? 0
    const last = ranges.at(-1)
    if (last?.[1] === codePoint - 1) last[1] = codePoint
    else ranges.push([codePoint, codePoint])
  }
  return ranges
}

const rangeInPattern = ([first, last]: readonly [number, number]) =>
  `${escaped(first)}-${escaped(last)}`

const escaped = (codePoint: number) => `\\U${codePoint.toString(16).padStart(8, '0')}`
