import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject } from '../../support/factories.ts'
import { counted, ndjson, sendLines } from '../../support/ndjson.ts'

const line = (textId: string, vector = [1, 2, 3]) => JSON.stringify(embedding(textId, vector))
const linesFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(`id-${from + index}`))

describe('lines of embeddings', () => {
  it('are stored a thousand at a time, and the answer says so', async () => {
    const project = await newProject()
    const { status, lines } = await sendLines(project, linesFrom(0, 2_500).join('\n'))
    expect(status).toBe(200)
    expect(lines).toEqual([
      ...[counted(1_000, 1_000), counted(2_000, 2_000), counted(2_500, 2_500)],
      counted(2_500, 2_500, { done: true }),
    ])
  })

  it('may have a byte order mark, CRLF and blank lines, be compressed, and come byte by byte', async () => {
    const project = await newProject()
    const text = `\uFEFF${line('a')}\r\n\r\n  \n${line('b')}\r\n`
    const zipped = await sendLines(project, gzipSync(text), {
      headers: { 'Content-Encoding': 'gzip' },
    })
    expect(zipped.last).toEqual(counted(4, 2, { done: true }))
    const bytes = Buffer.from(`${line('ä')}\n${line('ö')}`)
    const slowly = ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)))
    expect((await sendLines(project, slowly)).last).toMatchObject({ stored: 2, done: true })
    expect(await textIdsIn(project)).toEqual(['a', 'b', 'ä', 'ö'])
  })

  it('that are bad end it; what was stored before stays', async () => {
    const project = await newProject()
    const long = { ...embedding('long', [1, 2, 3]), vector: [1, 2] }
    const cases: [bad: string, detail: string][] = [
      [JSON.stringify(long), `(line 1002, text_id 'long')`],
      ['{"text_id": "cut", "vec', 'JSON'],
      ['{"text_id":"none"}', 'vector is required'],
      [line('id-0'), '(line 1002)'],
    ]
    for (const [index, [bad, detail]] of cases.entries()) {
      const from = 10_000 * index
      const body = [...linesFrom(from, 1_000), line(`${from} not stored`), bad].join('\n')
      const { last, problem } = await sendLines(project, body)
      expect(last).toMatchObject({ line: 1_002, lines: 1_000, stored: 1_000 })
      expect(problem.detail).toContain(detail)
    }
  })

  it('that are refused before anything is stored are refused as any other request', async () => {
    const project = await newProject()
    await sendLines(project, line('there'))
    const cases: [body: string, status: number, detail: string][] = [
      [`${line('a')}\n${line('b', [1, 2])}`, 400, "(line 2, text_id 'b')"],
      [`${line('a')}\n{"text_id": "cut", "vec`, 400, 'line 2: '],
      [`\n${line('a')}\n{"text_id": "b"}`, 400, 'line 3: '],
      [`${line('a')}\n${line('there')}`, 409, '(line 2)'],
    ]
    for (const [body, status, detail] of cases) {
      const problem = { status, detail: expect.stringContaining(detail) }
      expect(await sendLines(project, body)).toMatchObject({ status, problem })
    }
    expect(await textIdsIn(project)).toEqual(['there'])
  })

  it('may leave instance_handle and vector_dim out, or say them in the URL', async () => {
    const project = await newProject()
    const bare = (textId: string) => JSON.stringify({ text_id: textId, vector: [1, 2, 3] })
    const said = 'instance_handle=model&vector_dim=3'
    for (const [index, query] of ['', said].entries()) {
      const { last } = await sendLines(project, bare(`id-${index}`), { query })
      expect(last).toMatchObject({ stored: 1, done: true })
    }
    const refused: [query: string, detail: string][] = [
      ['instance_handle=other', "instance_handle is 'other', but"],
      ['vector_dim=4', 'declares 4 dimensions but'],
      ['vector_dim=x', 'vector_dim must be between 1 and 16000'],
      ['instance_handle=a&instance_handle=b', 'instance_handle must be given once'],
    ]
    for (const [query, detail] of refused) {
      const { status, problem } = await sendLines(project, bare('x'), { query })
      expect(status).toBe(400)
      expect(problem.detail).toContain(detail)
    }
    // What a line says itself counts for it.
    const own = await sendLines(project, line('own'), {
      query: 'instance_handle=other&vector_dim=4',
    })
    expect(own.last).toMatchObject({ stored: 1, done: true })
  })

  it('name the fields that mean nothing in the last line of the answer', async () => {
    const project = await newProject()
    const odd = (textId: string, field: string) =>
      JSON.stringify(embedding(textId, [1, 2, 3], { [field]: 1 }))
    const { lines } = await sendLines(project, `${odd('a', 'document')}\n${odd('b', 'meta')}`)
    expect(lines).toEqual([
      counted(2, 2),
      counted(2, 2, { ignored: ['document', 'meta'], done: true }),
    ])
  })
})

const good = (id: string) => embedding(id, [1, 2, 3])

describe('a line', () => {
  const notOne = [
    '{"text_id":"x","vector":[1,2,3]},{"text_id":"y","vector":[1,2,3]}',
    '{"text_id":"x","vector":[1,2,3]} {"text_id":"y","vector":[1,2,3]}',
    '{"text_id":"x","vector":[1,2,3]}],"embeddings":[{"text_id":"y","vector":[1,2,3]}',
    ...['{"text_id":"x","vector":[1,2,3]}],"a":[1', '{"text_id":"x","vector":[1,2,3]}]}'],
    ...['[{"text_id":"x","vector":[1,2,3]}]', '{"embeddings":[{"text_id":"x","vector":[1,2,3]}]}'],
    ...['{"text_id":"x","vector":[1,2,3]', '{"text_id":"x","vector":[NaN,2,3]}', '"text"', 'null'],
    ...[',', ']'],
  ]
  it.each(notOne)('must be one object, wherever it stands: %s', async (bad) => {
    const project = await newProject()
    const others: (object | string)[] = [good('a'), good('b'), good('c')]
    for (const line of [1, 2, 4]) {
      const { status, problem } = await sendLines(
        project,
        ndjson(...others.toSpliced(line - 1, 0, bad)),
      )
      expect(status).toBe(400)
      expect(problem.detail).toMatch(new RegExp(`\\bline ${line}\\b`))
    }
    expect((await sendLines(project, ndjson(bad))).problem.detail).toMatch(/\bline 1\b/)
    expect(await textIdsIn(project)).toEqual([])
  })

  it('is not made whole by the next one', async () => {
    const project = await newProject()
    const pairs = [
      ['{"text_id":"x","metadata":{"a":[{}', '{}]},"vector":[1,2,3]}'],
      ['{"text_id":"x","vector":[1', '2,3]}'],
      ['{"text_id":"x', 'y","vector":[1,2,3]}'],
      ['{"text_id":"x","vector":[1,2,3],"text":"a\\', '"}'],
    ] as const
    const two = '{"text_id":"y","vector":[1,2,3]},{"text_id":"z","vector":[1,2,3]}'
    for (const [begin, end] of pairs) {
      for (const body of [ndjson(begin, end), ndjson(begin, end, two)]) {
        expect((await sendLines(project, body)).problem.detail).toMatch(/^line 1: /)
      }
    }
    expect(await textIdsIn(project)).toEqual([])
  })

  it('may hold as many objects and arrays as a body, and all lines together more', async () => {
    const project = await newProject()
    const nested = `[${Array.from({ length: 60_000 }, () => '{}').join()}]`
    const large = (id: string) => `{"text_id":"${id}","vector":[1,2,3],"metadata":{"a":${nested}}}`
    const many = Array.from({ length: 20 }, (_, n) => large(`t${n}`))
    expect((await sendLines(project, ndjson(...many))).last).toMatchObject({
      done: true,
      stored: 20,
    })
    const bomb = `{"text_id":"x","vector":[1,2,3],"metadata":{"a":[${'[],'.repeat(1_000_001)}[]]}}`
    const { status, problem } = await sendLines(project, ndjson(good('a'), bomb))
    expect(status).toBe(400)
    expect(problem.detail).toMatch(/^line 2: .*may hold 200000 values/)
  })

  it('may not be longer than 8 MiB; what was stored before stays', async () => {
    const project = await newProject()
    const before = Array.from({ length: 1_000 }, (_, n) => good(`t${n}`))
    const long = `{"text_id":"long","vector":[1,2,3],"text":"${'x'.repeat(8 * 2 ** 20)}"}`
    const { last, problem } = await sendLines(project, ndjson(...before, good('a'), long))
    expect(last).toMatchObject({ lines: 1_000, stored: 1_000 })
    expect(problem).toMatchObject({ status: 400, detail: 'line 1002 has more than 8388608 bytes' })
    const alone = await sendLines(project, ndjson(long))
    expect([alone.status, alone.problem.detail]).toEqual([
      400,
      'line 1 has more than 8388608 bytes',
    ])
    const { body } = await call('GET', project.path(), project.owner)
    expect(body.embedding_count).toBe(1_000)
  })
})

describe('lines without a value', () => {
  const line = (id: string) => ndjson(good(id))

  it('say their number where a byte order mark stands alone, which it may before a value', async () => {
    const project = await newProject()
    const joined = await sendLines(project, `\uFEFF${line('a')}\uFEFF${line('b')}`)
    expect(joined.last).toMatchObject({ stored: 2, done: true })
    const alone = await sendLines(project, `\uFEFF\n${line('c')}\uFEFF\n`)
    expect(alone.problem).toMatchObject({ status: 400, detail: expect.stringMatching(/^line 3: /) })
  })

  it('are counted, however many of them are blank', async () => {
    const project = await newProject()
    const blank = '\r\n\n \t\n'.repeat(3_000_000)
    const body = `${blank}  ${line('a')}${'\n'.repeat(70_000)}x`
    const detail = expect.stringMatching(/^line 9070002: /)
    expect((await sendLines(project, body)).problem).toMatchObject({ status: 400, detail })
  })
})
