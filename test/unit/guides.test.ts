import { expect, it } from 'vitest'
import { bestSections } from '../../web/guides/best-sections.ts'

const section = (page: string, heading: string, text: string) => ({
  ...{ page, title: page, heading, anchor: heading.toLowerCase(), text },
})
const sections = [
  section('Keys', 'Keys', 'A key may be limited. It may end.'),
  section('Keys', 'An end', 'Give expires_at. The keyboard has nothing to do with it.'),
  section('Operations', 'Operations', 'Nothing about them'),
  section('Operations', 'The administrator', 'Keep its key. Rotate it: see ENCRYPTION_KEY.'),
]
const found = (typed: string) =>
  bestSections(sections, typed).map(({ section }) => `${section.page} ${section.heading}`)

it('finds what has words with all beginnings, titles before headings before texts', () => {
  expect(found('key')).toEqual(['Keys Keys', 'Keys An end', 'Operations The administrator'])
  expect(found('ENC rot')).toEqual(['Operations The administrator'])
  expect(found('end')).toEqual(['Keys An end', 'Keys Keys'])
  expect(found('oper key')).toEqual(['Operations The administrator'])
  for (const typed of ['', ' -.*( ', 'ncryption', 'key unheard-of'])
    expect(found(typed)).toEqual([])
})

it('shows the sentence that has the most of the words, and marks them', () => {
  const [{ excerpt } = { excerpt: [] }] = bestSections(sections, 'encryption rotate')
  expect(excerpt).toEqual(['', 'Rotate', ' it: see ', 'ENCRYPTION', '_KEY.'])
  const long = section('Long', 'Long', `${'before '.repeat(50)}sought ${'behind '.repeat(50)}`)
  const shown = bestSections([long], 'sought')[0]?.excerpt.join('') ?? ''
  expect(shown).toMatch(/^…before .* sought behind .*…$/)
  expect(shown.length).toBeLessThan(165)
})
