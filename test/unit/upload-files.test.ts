import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fileRows } from '../../web/upload/file-rows.ts'
import { cellsOf, recordsOf } from '../../web/upload/records.ts'
import { isJsonNumber, tableColumns } from '../../web/upload/table-rows.ts'

const file = (name: string, ...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, name)
const all = async <Value>(values: AsyncIterable<Value>) => {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
const rows = (given: File, dimensions = 2) =>
  all(fileRows({ file: given, dimensions, parquetScript: '', tell: () => undefined }))
const items = async (...parts: string[]) =>
  (await rows(file('a.csv', ...parts))).map((row) =>
    'json' in row ? JSON.parse(row.json) : [row.place, row.problem],
  )

describe('the records of a file', () => {
  it('are lines with their numbers, even if texts have line feeds or a piece ends within one', async () => {
    const text = 'a,"x\ny"\r\n\nb,"z""\n"\nlast'
    const records = await all(recordsOf(file('a.csv', ...text), true, () => undefined))
    expect(records.map(({ line, text }) => [line, text.trim()])).toEqual([
      [1, 'a,"x\ny"'],
      [4, 'b,"z""\n"'],
      [6, 'last'],
    ])
  })

  it('are refused if they are no UTF-8, never end, or have no end of a quotation', async () => {
    const read = (given: File) => all(recordsOf(given, true, () => undefined))
    await expect(read(file('a.csv', Uint8Array.of(0xe9, 0x0a)))).rejects.toThrow('UTF-8')
    await expect(read(file('a.csv', 'x'.repeat(9_000_000)))).rejects.toThrow('more than 8 MiB')
    await expect(read(file('a.csv', 'a,"b\nc'))).rejects.toThrow('Line 1: a quotation mark')
  })

  it('may be packed', async () => {
    const packed = new Uint8Array(gzipSync('{"a":1}\n{"b":2}'))
    expect(await rows(file('A.NDJSON.gz', packed))).toEqual([
      { place: 'line 1', json: '{"a":1}' },
      { place: 'line 2', json: '{"b":2}' },
    ])
  })
})

describe('cells', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['a,,', ['a', '', '']],
    ['', ['']],
    ['"a,""b""",c\r', ['a,"b"', 'c']],
    ['"",x', ['', 'x']],
    ['"a"', ['a']],
  ])('of %j are %j', (record, cells) => {
    expect(cellsOf(record, ',')).toEqual(cells)
  })

  it('are refused if something follows a quotation', () => {
    expect(() => cellsOf('"a"b,c', ',')).toThrow('closing quotation mark')
  })

  it.each(['0', '-1', '2.5', '3.0', '1e+21'])('are a number: %s', (cell) => {
    expect(isJsonNumber(cell)).toBe(true)
  })
  it.each([
    '007',
    '3.10',
    '',
    ' 1',
    '0x1',
    '1e400',
    'NaN',
    'Infinity',
    '1_0',
  ])('are text: %s', (cell) => {
    expect(isJsonNumber(cell)).toBe(false)
  })
})

describe('a table', () => {
  it('has numbers in a column of numbers alone, and metadata within metadata', async () => {
    const table =
      'id,vector,ref.book,ref.verse,year,ref\n1,"[1,2]",Mark,3,1999,\n2,"[1,2]",,4.0,c. 30,x\n'
    expect(await items(table)).toEqual([
      { text_id: '1', vector: [1, 2], metadata: { ref: { book: 'Mark', verse: 3 }, year: '1999' } },
      { text_id: '2', vector: [1, 2], metadata: { ref: 'x', year: 'c. 30' } },
    ])
  })

  it('names the rows that cannot be one', async () => {
    const table = 'id,embedding,metadata\na,[1,{}\nb,"[1,2]",3\nc,"[1"\n'
    expect(await items(table)).toEqual([
      ['line 2', "'[1' is no JSON"],
      ['line 3', 'metadata is no JSON object'],
      ['line 4', 'it has 2 cells, not 3 as the first line'],
    ])
  })

  it('has numbered columns for a vector if they are as many as its numbers', () => {
    const names = ['id', 'v10', 'v2', 'v1', 'year1', 'year2']
    expect(tableColumns(names, 3)).toMatchObject({
      numbered: ['v1', 'v2', 'v10'],
      others: ['year1', 'year2'],
    })
    expect(tableColumns(['vector', ...names], 3).numbered).toEqual([])
    expect(tableColumns(names, 384).numbered).toEqual([])
  })

  it('is refused if its name says nothing', async () => {
    await expect(rows(file('a.xlsx', 'x'))).rejects.toThrow('must end in')
  })
})
