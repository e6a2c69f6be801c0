import { describe, expect, it } from 'vitest'
import { vectorFromBase64, vectorToBase64 } from '../../src/vectors/encoding.ts'
import { isNumberArray, toFloat32 } from '../../src/vectors/float32.ts'

const greatest = 3.4028234663852886e38

describe('a vector in float32', () => {
  it('has the nearest float32 of every element', () => {
    const vector = [0.1, -1 / 3, 16_777_217, 1e-45, -0]
    expect(toFloat32(vector)).toEqual(Float32Array.from(vector))
  })

  it.each([
    ['the shortest', [2 ** -63, 0]],
    ['the longest', [1.844674e19, 0]],
    ['subnormal elements beside others', [1e-45, 1]],
  ])('may have %s', (_, vector) => {
    expect(toFloat32(vector)).toBeInstanceOf(Float32Array)
  })

  it.each<[what: string, vector: number[], why: RegExp]>([
    ['no elements', [], /length zero/],
    ['zeros alone', [0, -0, 0], /length zero/],
    ['what rounds to zeros', [1e-46, -1e-50], /length zero/],
    ['a norm below 2 ** -63', [2 ** -64, 0], /too short/],
    ['subnormal elements alone', [1e-40, 1e-40], /too short/],
    ['a norm whose square overflows', [1.85e19, 0], /too long/],
    ['elements whose squares overflow together', [1.5e19, 1.5e19], /too long/],
    ['the greatest float32', [greatest, 0], /too long/],
    [
      'a sum of squares that rounds to more than the greatest',
      new Array(1_536).fill(Math.sqrt((greatest / 1_536) * (1 - 1e-6))),
      /too long/,
    ],
    ['what rounds to infinity', [1, 3.5e38], /element 1 is not a finite float32/],
    ['negative infinity', [Number.NEGATIVE_INFINITY], /element 0 is not a finite/],
    ['NaN', [0, 0, Number.NaN], /element 2 is not a finite/],
  ])('may not have %s', (_, vector, why) => {
    expect(toFloat32(vector)).toMatch(why)
  })
})

describe('an array of numbers', () => {
  it('has numbers alone', () => {
    expect(isNumberArray([])).toBe(true)
    expect(isNumberArray([1, -0.5])).toBe(true)
    const others = [null, undefined, '1', 1, {}, { length: 0 }, new Float32Array(1)]
    for (const other of [...others, ['1'], [null], [[1]], [1, undefined], [true], [1n]]) {
      expect(isNumberArray(other)).toBe(false)
    }
  })
})

describe('a vector in base64', () => {
  it('is its elements as little-endian float32', () => {
    expect(vectorToBase64(Float32Array.of(1, -2.5))).toBe('AACAPwAAIMA=')
    expect(vectorFromBase64('AACAPwAAIMA=')).toEqual(Float32Array.of(1, -2.5))
    expect(vectorFromBase64('AACAPwAAIMA')).toEqual(Float32Array.of(1, -2.5))
  })

  it('comes back as it was, to the bit', () => {
    for (let length = 0; length < 9; length += 1) {
      const vector = Float32Array.from({ length }, (_, index) => Math.fround(Math.sin(index + 1)))
      expect(vectorFromBase64(vectorToBase64(vector))).toEqual(vector)
    }
  })

  it.each([
    ...['AACAPwA=', 'AACAPwAAIM', 'AACAPwAAIMA= ', 'AACA-wAAIMA=', '[1,2]'],
  ])('is not %s', (text) => expect(vectorFromBase64(text)).toBeUndefined())
})
