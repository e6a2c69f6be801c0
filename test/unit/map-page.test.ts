import { describe, expect, it } from 'vitest'
import { coloursOf, pickedWith, rest, scaleOf, togglePicked } from '../../web/map/colours.ts'
import { printMapView, readMapView } from '../../web/map/map-view.ts'
import { cameraOf, countValues, lookOf } from '../../web/map/plane.ts'
import { densePlaces, typicalWords } from '../../web/map/regions.ts'
import { emptyView } from '../../web/project/view.ts'

const emptyMap = { ...emptyView, colour: '', picked: [], chosen: '', outline: [], look: '' }

describe('the state of a map', () => {
  const odd = 'a&b=c#d %25 "é" 🙂'
  it('is in its URL', () => {
    const view = {
      ...emptyMap,
      sought: { by: 'words', words: odd } as const,
      filter: { 'ref.book': { $in: ['Luke', odd] } },
      prefix: odd,
      colour: odd,
      picked: [odd, '', 'Acts'],
      chosen: odd,
      outline: [
        { x: -0.5, y: 0.25 },
        { x: 1, y: 0 },
        { x: 0.12345, y: -1 },
      ],
      look: '0.1,-0.2,3.5',
    }
    expect(readMapView(new URL(printMapView(view), 'http://this.host/'))).toEqual(view)
    const pasted = { ...emptyMap, colour: odd, sought: { by: 'vector', vector: [1, 0.5] } as const }
    const { sought } = readMapView(new URL(printMapView(pasted), 'http://this.host/'))
    expect(sought?.by === 'vector' && [...sought.vector]).toEqual([1, 0.5])
  })

  it('is the usual where its URL says nothing of use', () => {
    expect(readMapView(new URL('http://this.host/?area=1,x,3&colour=&filter={'))).toEqual(emptyMap)
    const whole = { x: 0, y: 0.5, scale: 300, width: 600, height: 400 }
    for (const look of ['', 'x', '1,2', '1,2,-3', '1,2,1e9', 'NaN,0,1'])
      expect(cameraOf(look, whole)).toEqual(whole)
    expect(lookOf(whole, whole)).toBe('')
    expect(cameraOf(lookOf({ ...whole, x: 0.1, y: 0.2, scale: 900 }, whole), whole)).toEqual({
      ...{ ...whole, x: 0.1, y: 0.2, scale: 900 },
    })
  })
})

describe('the colours of values', () => {
  const values = Array.from({ length: 30 }, (_, index) => `book ${index}`)
  const indexes = Int32Array.from({ length: 600 }, (_, at) => Math.min(at % 30, at % 31))
  const field = { path: 'book', values, indexes }
  const counted = countValues(field, new Uint8Array(600).fill(1))
  const colourOf = (picked: readonly string[], label: string) =>
    coloursOf(field, undefined, counted, picked).get(values.indexOf(label))

  it('stay whatever else has one', () => {
    const own = new Set(counted.slice(0, 10).map(({ label }) => colourOf([], label)))
    expect(own.size).toBe(10)
    const rare = counted.slice(-3).map(({ label }) => label)
    const [one = '', two = '', three = ''] = rare
    expect(rare.map((label) => colourOf([], label))).toEqual([rest, rest, rest])
    const both = [one, two].reduce(togglePicked, [])
    const only = togglePicked(both, one)
    expect(colourOf(only, one)).toBe(rest)
    expect(colourOf(only, two)).toBe(colourOf(both, two))
    expect(own).not.toContain(colourOf(both, two))
    expect(colourOf(togglePicked(only, three), two)).toBe(colourOf(both, two))
    const frequent = counted[0]?.label ?? ''
    expect(pickedWith(only, counted, [two, three, frequent])).toEqual([three, two])
  })

  it('are positions on a scale if all values are numbers', () => {
    const numbers = {
      path: 'year',
      values: [1900, 2000, 1950],
      indexes: Int32Array.of(0, 1, 2, -1),
    }
    const scale = scaleOf(numbers)
    expect(scale).toEqual({ least: 1900, most: 2000 })
    const all = countValues(numbers, new Uint8Array(4).fill(1))
    const colours = coloursOf(numbers, scale, all, [])
    expect([...colours.keys()].sort()).toEqual([0, 1, 2])
    expect(colours.get(0)).toBe('#5b54d6')
    expect(colours.get(1)).toBe('#ef8a1d')
    expect(scaleOf({ ...numbers, values: [1900, '2000', 1950] })).toBeUndefined()
  })
})

describe('the regions of a map', () => {
  it('are where points are dense, and have samples of them', () => {
    const centres = [-0.8, 0, 0.8]
    const x = Float32Array.from(
      { length: 3_000 },
      (_, at) => (centres[at % 3] ?? 0) + (at % 7) / 200,
    )
    const y = Float32Array.from({ length: 3_000 }, (_, at) => (at % 11) / 200)
    const places = densePlaces({ x, y })
    expect(places.map((place) => Math.round(place.x * 10) / 10).sort()).toEqual([-0.8, 0, 0.8])
    for (const { sample } of places) {
      expect(sample.length).toBeGreaterThan(15)
      expect(sample.length).toBeLessThanOrEqual(21)
      expect(new Set(sample.map((at) => at % 3)).size).toBe(1)
    }
    expect(densePlaces({ x: new Float32Array(), y: new Float32Array() })).toEqual([])
    expect(densePlaces({ x: Float32Array.of(1), y: Float32Array.of(1) })).toEqual([])
  })

  it('are named by words that are frequent there and rare elsewhere', () => {
    const texts = (words: readonly string[]) =>
      Array.from({ length: 12 }, (_, at) => `And the ${words[at % words.length]} of Jesus, 2 ${at}`)
    const names = typicalWords([
      texts(['bread', 'bread and fishes']),
      texts(['Sabbath', 'Sabbath day']),
      texts(['sea']),
      [],
    ])
    expect(names).toEqual(['bread · fishes', 'Sabbath · day', 'sea', ''])
  })
})
