import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { describedKey } from '../../web/keys/described-key.ts'
import { presetsOf, usablePreset } from '../../web/new-project/presets.ts'
import { curlOf, misreadSegment, requestFor } from '../../web/project/requests.ts'
import { packVector, parseVector, unpackVector } from '../../web/project/vector-text.ts'
import {
  chosenRange,
  chosenValues,
  countScalars,
  emptyView,
  filterIn,
  printView,
  readView,
  recognise,
  toggleValue,
  type View,
  valuesIn,
  wholeFilter,
  withCondition,
  withExample,
} from '../../web/project/view.ts'

const sought: View = { ...emptyView, sought: { by: 'text_id', textId: 'matthew-5-3' } }

function reread(view: View): View {
  const { search, hash } = new URL(printView(view), 'http://this.host/explore/a/b')
  return readView({ search, hash })
}

describe('what a page shows', () => {
  const odd = 'a&b=c#d %25 "é" 🙂 </script> +'
  const views: View[] = [
    emptyView,
    sought,
    { ...sought, sought: { by: 'text_id', textId: odd, like: [odd, 'b'], unlike: [odd] } },
    { ...sought, sought: { by: 'words', words: odd }, threshold: 0, offset: 20, groupBy: odd },
    { ...sought, sought: { by: 'meaning', words: odd } },
    { ...sought, sought: { by: 'both', words: odd } },
    { ...sought, sought: { by: 'vector', vector: [0.1, -1e-7, 3, 1 / 3].map(Math.fround) } },
    { ...emptyView, prefix: odd, after: odd, filter: { [odd]: { $in: [odd, 1, true] } } },
  ]

  it.each(views.map((view) => [printView(view), view]))('is in its URL: %s', (_, view) => {
    const vectorOf = ({ sought: given }: View) =>
      given?.by === 'vector' ? given.vector.map(Math.fround) : undefined
    const found = reread(view)
    expect(vectorOf(found)).toEqual(vectorOf(view))
    expect({ ...found, sought: vectorOf(found) ?? found.sought }).toEqual({
      ...view,
      sought: vectorOf(view) ?? view.sought,
    })
  })

  it.each(['threshold=2&offset=-1&filter={', 'threshold=x&offset=1e99&filter=[]', 'filter=null'])(
    'is the usual where its URL says nothing of use: %s',
    (search) => {
      expect(readView({ search: `?${search}`, hash: '#vector=!' })).toEqual(emptyView)
      expect(filterIn(new URLSearchParams(search).get('filter') ?? '')).toBeUndefined()
    },
  )
})

describe('a path of the API', () => {
  const resolved = (path: string) => new URL(path, 'http://this.host/').href.slice(17)

  it.each(['.', '..', '%2e', '.%2E', ''])('is not sent with %j for a handle', (handle) => {
    const path = `v1/users/${handle}/keys/notebook?limit=1`
    if (handle !== '') expect(resolved(path)).not.toBe(path)
    expect(misreadSegment(path)).toBe(handle)
    expect(misreadSegment(`v1/projects/${handle}?limit=200`)).toBe(handle)
  })

  it.each(['a..', '...', '.a', encodeURIComponent('../b'), encodeURIComponent('%2e')])(
    'is sent with %j, which stays in its place',
    (handle) => {
      const path = `v1/projects/ann/${handle}?text_id=..&after=a/../b`
      expect(resolved(path)).toBe(path)
      expect(misreadSegment(path)).toBeUndefined()
    },
  )
})

describe('facets', () => {
  it('are a filter of the API', () => {
    const one = toggleValue(sought, 'ref.book', 'Mark')
    expect(wholeFilter(one)).toEqual({ 'ref.book': 'Mark' })
    const two = toggleValue(one, 'ref.book', 'Luke')
    expect(wholeFilter(two)).toEqual({ 'ref.book': { $in: ['Mark', 'Luke'] } })
    const other = toggleValue({ ...two, offset: 20 }, 'ref.chapter', 5)
    expect(other).toMatchObject({ offset: 0, filter: { 'ref.chapter': 5 } })
    expect(toggleValue(toggleValue(two, 'ref.book', 'Luke'), 'ref.book', 'Mark')).toEqual(sought)
  })

  it('leave alone what somebody else has asked for', () => {
    const view = { ...emptyView, filter: { 'ref.verse': { $gt: 3 } } }
    expect(chosenValues(view, 'ref.verse')).toBeUndefined()
    expect(chosenValues(view, 'ref.book')).toEqual([])
    expect(wholeFilter({ ...view, prefix: 'mark-' })).toEqual({
      $and: [{ text_id: { $prefix: 'mark-' } }, view.filter],
    })
  })

  it.each(['constructor', 'toString', '__proto__'])('can be of a field called %s', (path) => {
    expect(chosenValues(sought, path)).toEqual([])
    const view = toggleValue(sought, path, 'x')
    expect(JSON.stringify(wholeFilter(view))).toBe(`{"${path}":"x"}`)
    expect(chosenValues(reread(view), path)).toEqual(['x'])
    expect(toggleValue(view, path, 'x')).toEqual(sought)
  })

  it('have the names of fields that filters know', () => {
    expect(
      valuesIn({ ref: { 'a.b': 'Mark', n: null }, tags: ['x', 2], text_id: true, $in: 1 }),
    ).toEqual([
      { path: 'ref.a\\.b', value: 'Mark' },
      { path: 'ref.n', value: null },
      { path: 'tags', value: 'x' },
      { path: 'tags', value: 2 },
      { path: '\\text_id', value: true },
      { path: '\\$in', value: 1 },
    ])
  })

  it.each([
    [{ arr: [['deep'], 'shallow', [[1]]] }, ['shallow'], 3],
    [{ arr: [{ a: [true, [false]] }, [{ a: 2 }]] }, [true], 3],
    [{ '': 0, a: { '': 1 } }, [1], 2],
    [{ ['k'.repeat(4_097)]: 1 }, [], 1],
  ])('are not of what no filter finds: %j', (metadata, values, scalars) => {
    expect(valuesIn(metadata).map(({ value }) => value)).toEqual(values)
    expect(countScalars(metadata)).toBe(scalars)
  })
})

describe('a range of numbers', () => {
  it.each([{ $gte: 3, $lte: 9 }, { $lte: -0.5 }, { $gte: 3 }])(
    'may be %j, in place of values',
    (range) => {
      const values = toggleValue({ ...emptyView, after: 'x' }, 'n', 5)
      const view = withCondition(values, 'n', range)
      expect(chosenRange(reread(view), 'n')).toEqual(range)
      expect(withCondition(view, 'n', undefined)).toEqual(emptyView)
      expect(toggleValue(view, 'n', 5)).toEqual(toggleValue(emptyView, 'n', 5))
    },
  )

  it.each([...[5, null, {}, { $gt: 3 }, { $gte: 3, $lt: 9 }, { $gte: '3' }, { $in: [3] }, [3]]])(
    'is none where the filter is %j',
    (condition) => {
      expect(chosenRange({ ...emptyView, filter: { n: condition } }, 'n')).toBeUndefined()
      expect(chosenRange(emptyView, 'constructor')).toBeUndefined()
    },
  )
})

describe('what is typed', () => {
  it.each([
    ['[0.25, -0.5, 0.75]', 'vector'],
    ['0.25 -0.5 .75', 'vector'],
    ['1e-3,2,\n3', 'vector'],
    ['matthew-5-3', 'text_id'],
    ['https://example.org/1', 'text_id'],
    ['blessed are the poor', 'words'],
    ['mercy', 'words'],
  ] as const)('%j is taken for a %s', (typed, by) => {
    expect(recognise(typed, 'any')).toBe(by)
    expect(recognise(typed, 'meaning')).toBe('meaning')
    expect(recognise(typed, 'any', true)).toBe(by === 'words' ? 'both' : by)
  })

  it.each(['"poor in spirit"', 'blessed -rich', 'bless*', '-"mustard seed" kingdom'])(
    'is looked for as words alone where signs say so: %s',
    (typed) => expect(recognise(typed, 'any', true)).toBe('words'),
  )

  it('is a vector where it is numbers', () => {
    expect(parseVector(' [1, -2.5e3,.5] ')).toEqual([1, -2500, 0.5])
    for (const text of ['', '1', '[1]', '[1, x]', 'a b', '1 2]', '0x1 2']) {
      expect(parseVector(text), text).toBeUndefined()
    }
  })

  it('is packed without loss to float32, and as decimals that are short', () => {
    const vector = [0.1, -0.25, 1e-20, 12345.678, 0.333333333]
    const unpacked = unpackVector(packVector(vector))
    expect(unpacked?.map(Math.fround)).toEqual(vector.map(Math.fround))
    expect(unpacked?.slice(0, 3)).toEqual([0.1, -0.25, 1e-20])
    for (const text of ['', 'AAA', 'A', '%%%%']) expect(unpackVector(text)).toBeUndefined()
  })
})

describe('the request behind a page', () => {
  it('is a command that a shell takes as it is', () => {
    const filter = { "it's": '$(x)`!*' }
    const argumentsOf = (view: View, takesKey: boolean) => {
      const command = curlOf(requestFor(view, 'ann/verses'), 'http://this.host/', takesKey)
      const printed = command.replace(/^curl/, 'printf "%s\\n"')
      const env = { SEMBLANCE_KEY: 'a-key' }
      return execFileSync('sh', ['-c', printed], { env }).toString().split('\n').slice(0, -1)
    }
    const [url = '', ...key] = argumentsOf({ ...emptyView, filter }, true)
    const { pathname, searchParams } = new URL(url)
    expect(pathname).toBe('/v1/embeddings/ann/verses')
    expect(searchParams.get('filter')).toBe(JSON.stringify(filter))
    expect(key).toEqual(['-H', 'Authorization: Bearer a-key'])
    const [, , type, , body = ''] = argumentsOf({ ...sought, filter }, false)
    expect(type).toBe('Content-Type: application/json')
    expect(JSON.parse(body)).toMatchObject({ text_id: 'matthew-5-3', filter })
  })

  it('has what was chosen alone', () => {
    expect(requestFor(sought, 'ann/verses')).toEqual({
      path: 'v1/similars/ann/verses',
      body: {
        ...{ text_id: 'matthew-5-3', limit: 20, threshold: 0 },
        include: ['text', 'metadata', 'percentile'],
      },
    })
    const more = withExample(withExample(sought, 'mark-1-1', 'like'), 'luke-1-1', 'unlike')
    const examples = { like: ['mark-1-1'], unlike: ['luke-1-1'] }
    expect(requestFor(more, 'ann/verses').body).toMatchObject(examples)
    const without = withExample(more, 'mark-1-1')
    expect(requestFor(without, 'ann/verses').body).toMatchObject({ ...examples, like: [] })
    expect(withExample(emptyView, 'matthew-5-3', 'like')).toEqual(sought)
    const words: View = { ...sought, sought: { by: 'both', words: 'mercy' }, groupBy: 'ref.book' }
    expect(requestFor({ ...words, threshold: 0.3, offset: 20 }, 'ann/verses').body).toEqual({
      words: 'mercy',
      text: 'mercy',
      limit: 20,
      offset: 20,
      threshold: 0.3,
      group_by: 'ref.book',
      group_size: 3,
      include: ['text', 'metadata', 'highlights', 'percentile'],
    })
  })
})

describe('the form of a new key', () => {
  const form = (...fields: [string, string][]) => {
    const data = new FormData()
    for (const [name, value] of [['name', ' web '], ...fields] as const) data.append(name, value)
    return describedKey(data)
  }

  it('asks for a key that reads everything, for ever, where nothing else is said', () => {
    expect(form()).toEqual({ key_handle: 'web', access: 'read' })
  })

  it('names each project once, and the end of the day', () => {
    const chosen = form(
      ...([
        ['access', 'write'],
        ['reach', 'some'],
        ['project', 'ann/verses'],
        ['projects', 'ben/texts, ann/verses'],
        ['description', ' For the web '],
        ['end', '2099-01-31'],
      ] as [string, string][]),
    )
    expect(chosen).toEqual({
      key_handle: 'web',
      access: 'write',
      description: 'For the web',
      projects: ['ann/verses', 'ben/texts'],
      expires_at: '2099-01-31T23:59:59Z',
    })
  })

  it('never turns "these alone" without any into all', () => {
    expect(form(['reach', 'some'])).toMatchObject({ projects: [] })
  })
})

describe('the provider that a new project proposes', () => {
  it.each([
    [[], 'ollama'],
    [['*'], 'ollama'],
    [['127.0.0.1:8890', 'localhost:8080'], 'serve-model'],
  ])('is the first that a server with %j may ask', (hosts, preset) => {
    expect(usablePreset(presetsOf([], []), hosts)).toBe(preset)
  })
})
