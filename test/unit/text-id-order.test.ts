import { expect, it } from 'vitest'
import { textIdOrder } from '../../src/search/ranking.ts'
import { randomNumbers } from '../shared/random-numbers.ts'
import { byBytes } from '../support/data/vectors.ts'

it('text_ids are in the order of their bytes in UTF-8', () => {
  const random = randomNumbers(2)
  const characters = ['', 'a', 'b', 'é', '\u07ff', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀']
  const textId = () =>
    Array.from({ length: 3 }, () => characters[Math.floor(random() * 10)]).join('')
  for (let time = 0; time < 3_000; time += 1) {
    const [one, other] = [textId(), textId()]
    expect(Math.sign(textIdOrder(one, other)), `${one} ${other}`).toBe(byBytes(one, other))
  }
})
