import { describe, expect, it } from 'vitest'
import { csvCell } from '../../web/csv.ts'
import { type Differences, differencesOf } from '../../web/duplicates/differences.ts'
import {
  neighboursBody,
  pairsAbove,
  printDuplicatesView,
  readDuplicatesView,
} from '../../web/duplicates/duplicates-view.ts'
import {
  connectedGroups,
  type Pair,
  PairCollector,
  pairsAsCsv,
  pairsAsNdjson,
} from '../../web/duplicates/pairs.ts'
import { pathsFor } from '../../web/project/requests.ts'
import { randomNumbers } from '../shared/random-numbers.ts'

const pair = (id: string, neighbour: string, similarity: number): Pair => ({
  ...{ id, neighbour, similarity },
})
const line = (id: string, ...neighbours: [string, number][]) => ({
  id,
  neighbours: neighbours.map(([other, similarity]) => ({ id: other, similarity })),
})

describe('pairs', () => {
  it('are there once, from whichever side they are told, the most similar first', () => {
    const collector = new PairCollector(100)
    collector.add(line('a', ['b', 0.9], ['c', 0.95]))
    collector.add(line('b', ['a', 0.9]))
    // c has nearer ones than a; d is a neighbour of e alone.
    collector.add(line('e', ['d', 0.95]))
    expect(collector.sorted()).toEqual([
      pair('a', 'c', 0.95),
      pair('d', 'e', 0.95),
      pair('a', 'b', 0.9),
    ])
  })

  it('are not mixed up by what text_ids are made of', () => {
    const collector = new PairCollector(100)
    collector.add(line('a', ['b\n', 0.9], ['b', 0.9]))
    collector.add(line('a\nb', ['', 0.9], ['__proto__', 0.9]))
    expect(collector.size).toBe(4)
  })

  it('are as many as may be kept: all above the floor', () => {
    const collector = new PairCollector(1_000, 100)
    const all = Array.from({ length: 5_000 }, (_, index) =>
      pair(`a${index}`, `b${index}`, 0.8 + ((index * 7_919) % 5_000) / 25_000),
    )
    for (const { id, neighbour, similarity } of all) {
      collector.add(line(id, [neighbour, similarity]))
      collector.add(line(neighbour, [id, similarity]))
      expect(collector.size).toBeLessThanOrEqual(100)
    }
    expect(collector.isFull).toBe(false)
    expect(collector.floor).toBeGreaterThan(0.99)
    expect(collector.sorted()).toEqual(
      all
        .filter(({ similarity }) => similarity > collector.floor)
        .sort((one, other) => other.similarity - one.similarity),
    )
    expect(collector.size).toBeGreaterThanOrEqual(40)
  })

  it('are full where too many are equal', () => {
    const collector = new PairCollector(3, 10)
    for (let index = 0; index < 20; index += 1)
      collector.add(line(`a${index}`, ['x', 1], ['y', 1], ['z', 1]))
    expect([collector.size, collector.isFull, collector.floor]).toEqual([10, true, 0])
    expect(collector.crowded).toBe(20)
  })

  it('are shown above the threshold; vectors that are equal but for rounding count as 1', () => {
    const pairs = [pair('a', 'b', 0.9999999), pair('a', 'c', 0.97), pair('a', 'd', 0.95)]
    const above = (threshold: number) =>
      pairsAbove(pairs, { ...readDuplicatesView(''), threshold }).length
    expect([0.8, 0.95, 0.96, 0.97, 0.98, 1].map(above)).toEqual([3, 3, 2, 2, 1, 1])
  })
})

describe('groups', () => {
  it('are what pairs connect, the largest first', () => {
    const pairs = [
      pair('x', 'y', 1),
      pair('a', 'b', 0.99),
      pair('c', 'd', 0.98),
      pair('b', 'd', 0.96),
    ]
    expect(connectedGroups(pairs)).toEqual([
      { ids: ['a', 'b', 'c', 'd'], least: 0.96, most: 0.99 },
      { ids: ['x', 'y'], least: 1, most: 1 },
    ])
    expect(connectedGroups([])).toEqual([])
  })

  it('may be one long chain', () => {
    const id = (index: number) => String(index).padStart(6, '0')
    const pairs = Array.from({ length: 100_000 }, (_, index) => pair(id(index), id(index + 1), 0.9))
    for (const order of [pairs, pairs.toReversed()]) {
      const groups = connectedGroups(order)
      expect([groups.length, groups[0]?.ids.length]).toEqual([1, 100_001])
    }
  })
})

describe('differences', () => {
  const marked = ({ before, after }: Pick<Differences, 'before' | 'after'>) =>
    [before, after].map((parts) =>
      parts.map(({ text, isShared }) => (isShared ? text : `[${text}]`)).join(''),
    )

  it.each([
    ['the same', 'the same', 'the same', 'the same'],
    ['', 'all new', '', '[all new]'],
    [
      ...['In the beginning was the Word', 'In the end was a Word'],
      ...['In the [beginning] was [the] Word', 'In the [end] was [a] Word'],
    ],
    ['a b c d', 'a d', 'a [b c ]d', 'a d'],
    ['Say it, now.', 'Say it now!', 'Say it[,] now[.]', 'Say it now[!]'],
    ['我爱猫', '我爱狗', '我爱[猫]', '我爱[狗]'],
    ['<b>bold</b>', '<i>bold</i>', '<[b]>bold</[b]>', '<[i]>bold</[i]>'],
  ])('between %j and %j are marked', (one, other, before, after) => {
    expect(marked(differencesOf(one, other))).toEqual([before, after])
  })

  it('leave nothing out, and mark all that is not shared', () => {
    const random = randomNumbers(7)
    const below = (count: number) => Math.floor(count * random())
    const text = () => Array.from({ length: below(40) }, () => 'abcde'[below(5)]).join(' ')
    for (let round = 0; round < 200; round += 1) {
      const [one, other] = [text(), text()]
      const { before, after } = differencesOf(one, other)
      expect(before.map((part) => part.text).join('')).toBe(one)
      expect(after.map((part) => part.text).join('')).toBe(other)
      const [shared = '', there] = [before, after].map((parts) =>
        parts
          .flatMap((part) => (part.isShared ? part.text : ''))
          .join('')
          .replaceAll(' ', ''),
      )
      expect(there).toBe(shared)
    }
  })

  it('are looked for in the beginnings of long texts', () => {
    const long = Array.from({ length: 100_000 }, (_, index) => `w${index % 977}`).join(' ')
    const began = process.cpuUsage()
    const { before, isCut } = differencesOf(long, `x ${long.slice(9)}`)
    expect(isCut).toBe(true)
    expect(before.length).toBeGreaterThan(1)
    expect(differencesOf('a'.repeat(1e6), 'b'.repeat(1e6)).isCut).toBe(true)
    // Microseconds of the processor: all of them compared take minutes.
    const { user, system } = process.cpuUsage(began)
    expect(user + system).toBeLessThan(5_000_000)
  })
})

describe('saved pairs', () => {
  const odd = [pair('=1+1', 'a,"b"', 0.5), pair('c', 'd', 1)]

  it('are a table without formulas', () => {
    expect(pairsAsCsv(odd, connectedGroups(odd))).toBe(
      'id,neighbour,similarity,group\r\n\'=1+1,"a,""b""",0.5,2\r\nc,d,1,1\r\n',
    )
  })

  it('are lines of JSON, as they are', () => {
    expect(pairsAsNdjson(odd, connectedGroups(odd))).toBe(
      `{"id":"=1+1","neighbour":"a,\\"b\\"","similarity":0.5,"group":2}
{"id":"c","neighbour":"d","similarity":1,"group":1}
`,
    )
  })

  it.each([
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['a;b', '"a;b"'],
    ['a\nb', '"a\nb"'],
    ['a=b-c', 'a=b-c'],
    ['', ''],
  ])('have the cell %j as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell)
  })
})

describe('what the page of near-duplicates shows', () => {
  const usual = readDuplicatesView('')

  it.each([
    usual,
    { ...usual, threshold: 0.8, shows: 'groups' as const, page: 7 },
    {
      ...usual,
      different: 'a&b=c#',
      prefix: 'é 🙂%',
      filter: { 'ref.book': { $in: ['Mark', 1] } },
    },
  ])('is in its URL', (view) => {
    expect(readDuplicatesView(printDuplicatesView(view))).toEqual(view)
  })

  it.each(['?threshold=0.5&page=0&shows=x', '?threshold=x&page=1e9&filter=['])(
    'is the usual where its URL says nothing of use: %s',
    (search) => {
      expect(readDuplicatesView(search)).toEqual(usual)
    },
  )

  it('is asked of the API', () => {
    const view = { ...usual, different: 'ref.book', prefix: 'm' }
    expect(neighboursBody(view, 0.9)).toEqual({
      ...{ k: 100, threshold: 0.9, different: 'ref.book' },
      filter: { text_id: { $prefix: 'm' } },
    })
    expect(neighboursBody(usual, 1)).toEqual({ k: 100, threshold: 0.999999 })
  })
})

describe('the texts of a page', () => {
  it('are asked for in URLs that servers take, each once', () => {
    const ids = Array.from({ length: 300 }, (_, index) => `${'é'.repeat(index)}"${index}`)
    const paths = pathsFor('a/b', [...ids, ...ids])
    const asked = paths.map((path): string[] => {
      expect(path.length).toBeLessThan(8_200)
      const filter = new URL(path, 'http://this.host').searchParams.get('filter') ?? ''
      return JSON.parse(filter).text_id.$in
    })
    expect(asked.flat()).toEqual(ids)
    expect(
      pathsFor(
        'a/b',
        Array.from({ length: 450 }, (_, index) => `${index}`),
      ),
    ).toHaveLength(3)
    expect(pathsFor('a/b', [])).toEqual([])
  })
})
