import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { ask } from '../../support/exports.ts'
import { embedding, newProject, type Project } from '../../support/factories.ts'

const line = (textId: string, vector = [1, 2, 3]) => JSON.stringify(embedding(textId, vector))
const linesFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(`id-${from + index}`))

async function send(
  project: Project,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  query = '',
  headers: Record<string, string> = {},
) {
  const answer = await ask(`${project.path('embeddings')}${query}`, project.owner.key, undefined, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', ...headers },
    body,
    ...{ duplex: 'half' },
  })
  const text = await answer.text()
  const values = text.split('\n').filter((part) => part !== '')
  return { status: answer.status, lines: values.map((value) => JSON.parse(value)) }
}

const none = { replaced: 0, skipped: 0, unchanged: 0 }

describe('lines of embeddings', () => {
  it('are stored a thousand at a time, and the answer says so', async () => {
    const project = await newProject()
    const { status, lines } = await send(project, linesFrom(0, 2_500).join('\n'))
    expect(status).toBe(200)
    expect(lines).toEqual([
      { lines: 1_000, stored: 1_000, ...none },
      { lines: 2_000, stored: 2_000, ...none },
      { lines: 2_500, stored: 2_500, ...none },
      { lines: 2_500, stored: 2_500, ...none, done: true },
    ])
  })

  it('may have a byte order mark, CRLF and blank lines, be compressed, and come byte by byte', async () => {
    const project = await newProject()
    const text = `\uFEFF${line('a')}\r\n\r\n  \n${line('b')}\r\n`
    const zipped = await send(project, gzipSync(text), '', { 'Content-Encoding': 'gzip' })
    expect(zipped.lines.at(-1)).toEqual({ lines: 4, stored: 2, ...none, done: true })
    const bytes = Buffer.from(`${line('ä')}\n${line('ö')}`)
    const slowly = ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)))
    expect((await send(project, slowly)).lines.at(-1)).toMatchObject({ stored: 2, done: true })
    expect(await textIdsIn(project)).toEqual(['a', 'b', 'ä', 'ö'])
  })

  it('that are bad end it; what was stored before stays', async () => {
    const project = await newProject()
    const long = { ...embedding('long', [1, 2, 3]), vector: [1, 2] }
    const cases: [bad: string, detail: string][] = [
      [JSON.stringify(long), `(line 1002, text_id 'long')`],
      ['{"text_id": "cut", "vec', 'JSON'],
      [`${line('x')},${line('y')}`, 'JSON'],
      ['[1', 'JSON'],
      ['7', 'expected object'],
      ['{"text_id":"none"}', 'vector is required'],
      [line('id-0'), '(line 1002)'],
    ]
    for (const [index, [bad, detail]] of cases.entries()) {
      const from = 10_000 * index
      const body = [...linesFrom(from, 1_000), line(`${from} not stored`), bad].join('\n')
      const { status, lines } = await send(project, body)
      expect(status).toBe(200)
      expect(lines.at(-1)).toMatchObject({ line: 1_002, lines: 1_000, stored: 1_000 })
      expect(lines.at(-1).error.detail).toContain(detail)
    }
  })

  it('that are refused before anything is stored are refused as any other request', async () => {
    const project = await newProject()
    await send(project, line('there'))
    const cases: [body: string, status: number, detail: string][] = [
      [`${line('a')}\n${line('b', [1, 2])}`, 400, "(line 2, text_id 'b')"],
      [`${line('a')}\n{"text_id": "cut", "vec`, 400, 'line 2: '],
      [`\n${line('a')}\n{"text_id": "b"}`, 400, 'line 3: '],
      [`${line('a')}\n${line('there')}`, 409, '(line 2)'],
    ]
    for (const [body, status, detail] of cases) {
      const answer = await send(project, body)
      expect(answer.status).toBe(status)
      expect(answer.lines).toEqual([
        { title: expect.any(String), status, detail: expect.stringContaining(detail) },
      ])
    }
    expect(await textIdsIn(project)).toEqual(['there'])
  })

  it('may leave instance_handle and vector_dim out, or say them in the URL', async () => {
    const project = await newProject()
    const bare = (textId: string) => JSON.stringify({ text_id: textId, vector: [1, 2, 3] })
    const said = '?instance_handle=model&vector_dim=3'
    for (const [index, query] of ['', said].entries()) {
      const { lines } = await send(project, bare(`id-${index}`), query)
      expect(lines.at(-1)).toMatchObject({ stored: 1, done: true })
    }
    const refused: [query: string, detail: string][] = [
      ['?instance_handle=other', "instance_handle is 'other', but"],
      ['?vector_dim=4', 'declares 4 dimensions but'],
      ['?vector_dim=x', 'vector_dim must be between 1 and 16000'],
      ['?instance_handle=a&instance_handle=b', 'instance_handle must be given once'],
    ]
    for (const [query, detail] of refused) {
      const { status, lines } = await send(project, bare('x'), query)
      expect(status).toBe(400)
      expect(lines[0].detail).toContain(detail)
    }
    // What a line says itself counts for it.
    const own = await send(project, line('own'), '?instance_handle=other&vector_dim=4')
    expect(own.lines.at(-1)).toMatchObject({ stored: 1, done: true })
  })

  it('name the fields that mean nothing in the last line of the answer', async () => {
    const project = await newProject()
    const odd = (textId: string, field: string) =>
      JSON.stringify(embedding(textId, [1, 2, 3], { [field]: 1 }))
    const { lines } = await send(project, `${odd('a', 'document')}\n${odd('b', 'meta')}`)
    expect(lines).toEqual([
      { lines: 2, stored: 2, ...none },
      { lines: 2, stored: 2, ...none, ignored: ['document', 'meta'], done: true },
    ])
  })

  it('follow on_conflict', async () => {
    const project = await newProject()
    await send(project, `${line('a')}\n${line('b')}`)
    const skipped = await send(project, `${line('a')}\n${line('c')}`, '?on_conflict=skip')
    expect(skipped.lines.at(-1)).toMatchObject({ stored: 1, skipped: 1, done: true })
    const body = `${line('a')}\n${line('b', [9, 9, 9])}`
    const replaced = await send(project, body, '?on_conflict=replace')
    expect(replaced.lines.at(-1)).toMatchObject({ replaced: 1, unchanged: 1, done: true })
  })
})
