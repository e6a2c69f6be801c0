import { describe, expect, it } from 'vitest'
import { agreementOf, numbersOf, TextNumbers } from '../../src/pages/browser/compare/agreement.ts'
import { printCompareView, readCompareView } from '../../src/pages/browser/compare/compare-view.ts'

describe('two projects', () => {
  const numbers = new TextNumbers()
  const lists = (of: Record<string, string[]>) =>
    new Map(
      Object.entries(of).map(([id, neighbours]) =>
        numbersOf(
          { id, neighbours: neighbours.map((each) => ({ id: each, similarity: 1 })) },
          numbers,
        ),
      ),
    )

  it('agree as far as the neighbours of the same texts are the same', () => {
    const one = lists({ a: ['b', 'c'], b: ['a', 'c'], c: [], x: ['a'] })
    const other = lists({ a: ['c', 'b'], b: ['c', 'd'], c: ['a'], y: [], z: [] })
    const found = agreementOf(one, other)
    expect(found).toMatchObject({ common: 3, onlyOne: 1, onlyOther: 2, mean: 0.5 })
    expect(found.histogram).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 1])
    expect(found.texts.map(({ text, share }) => [numbers.idOf(text), share])).toEqual([
      ['c', 0],
      ['b', 0.5],
      ['a', 1],
    ])
  })

  it('may have no text in common', () => {
    expect(agreementOf(lists({ a: ['b'] }), new Map())).toMatchObject({ common: 0, mean: 0 })
  })

  it.each([0.1, 0.3, 0.6, 0.7])('count a share of %d in the bin that begins with it', (share) => {
    const ids = Array.from({ length: 10 }, (_, index) => `n${index}`)
    const others = ids.map((id, index) => (index < Math.round(share * 10) ? id : `o${index}`))
    const { histogram } = agreementOf(lists({ a: ids }), lists({ a: others }))
    expect(histogram.indexOf(1)).toBe(Math.round(share * 10))
  })

  it('are named in the URL, and nothing else is', () => {
    const view = { a: 'ann/verses', b: 'bob/v.2', k: 20, page: 3 }
    expect(readCompareView(printCompareView(view))).toEqual(view)
    expect(readCompareView('?a=../../x&b=a/b/c&k=7&page=x')).toEqual({
      ...{ a: '', b: '', k: 10, page: 1 },
    })
  })
})
