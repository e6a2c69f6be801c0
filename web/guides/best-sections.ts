/** What stands below one heading of a guide, as build-guides.js writes it. */
export interface GuideSection {
  readonly page: string
  readonly title: string
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

export interface FoundSection {
  readonly section: GuideSection
  /** In turns: what is not sought, and a word that is. */
  readonly excerpt: readonly string[]
}

const most = 10
const excerptLength = 160
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** Words that begin so. */
const beginning = (begins: readonly string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(${begins.join('|')})`, 'iu')

/** Finds the sections that have words with all these beginnings, first those with them in the heading. */
export function bestSections(sections: readonly GuideSection[], typed: string): FoundSection[] {
  const begins = wordsOf(typed)
  if (begins.length === 0) return []
  const each = begins.map((word) => beginning([word]))
  const scored = sections.map((section) => ({ section, score: scoreOf(section, each) }))
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, each, beginning(begins)) }))
}

function scoreOf({ title, heading, text }: GuideSection, sought: readonly RegExp[]): number {
  const scores = sought.map((word): number => {
    if (word.test(heading)) return heading === title ? 8 : 4
    // Each time the expression is found, its group is one more part.
    const times = (text.split(word).length - 1) / 2
    if (times > 0) return 2 + Math.min(1, times / 10)
    return word.test(title) ? 1 : 0
  })
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** Of the sentence that has the most of the words, what is around the first. */
function excerptOf(text: string, each: readonly RegExp[], any: RegExp): string[] {
  const found = (sentence: string) => each.filter((word) => word.test(sentence)).length
  const sentences = text.split(/(?<=[.!?])\s|\n/)
  const best = sentences.reduce((one, other) => (found(other) > found(one) ? other : one))
  const at = best.search(any)
  const from = at < excerptLength / 2 ? 0 : best.lastIndexOf(' ', at - excerptLength / 4) + 1
  const shown = best.slice(from, from + excerptLength)
  const isWhole = from + excerptLength >= best.length
  return `${from > 0 ? '…' : ''}${shown}${isWhole ? '' : '…'}`.split(any)
}
