import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { embedding, newProject } from '../../support/factories.ts'
import { ndjson, sendLines } from '../../support/ndjson.ts'

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
