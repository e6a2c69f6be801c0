import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fileRows } from '../../web/upload/file-rows.ts'
import { csvRecords } from '../../web/upload/records.ts'
import { isJsonNumber, tableColumns } from '../../web/upload/table-rows.ts'

const file = (name: string, ...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, name)
const all = async <Value>(values: AsyncIterable<Value>) => {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
const parquetScript = new URL('../../web/upload/parquet.ts', import.meta.url).href
const rows = (given: File, dimensions = 2) =>
  all(fileRows({ file: given, dimensions, parquetScript, tell: () => undefined }))
const items = async (...parts: string[]) =>
  (await rows(file('a.csv', ...parts))).map((row) =>
    'json' in row ? JSON.parse(row.json) : [row.place, row.problem],
  )

const records = (text: string, delimiter?: string) =>
  all(csvRecords(file('a.csv', ...text), delimiter, () => undefined))
const cellsOf = async (text: string) => (await records(text)).map(({ cells }) => cells)

describe('the records of a file', () => {
  it('have the numbers of their lines, even if texts have line feeds or a piece ends within one', async () => {
    const text = 'a,"x\ny"\r\n\nb,"z""\n"\rc,\nlast'
    expect((await records(text)).map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, 'a', 'x\ny'],
      [4, 'b', 'z"\n'],
      [6, 'c', ''],
      [7, 'last'],
    ])
  })

  it('are refused if they are no UTF-8 or never end', async () => {
    const read = (given: File) => all(csvRecords(given, ',', () => undefined))
    await expect(read(file('a.csv', Uint8Array.of(0xe9, 0x0a)))).rejects.toThrow('UTF-8')
    await expect(read(file('a.csv', 'x'.repeat(9_000_000)))).rejects.toThrow('more than 8 MiB')
  })

  it('may be packed', async () => {
    const packed = new Uint8Array(gzipSync('{"a":1}\n{"b":2}'))
    expect(await rows(file('A.NDJSON.gz', packed))).toEqual([
      { place: 'line 1', id: undefined, json: '{"a":1}' },
      { place: 'line 2', id: undefined, json: '{"b":2}' },
    ])
  })
})

describe('a packed file', () => {
  const first = gzipSync('{"a":1}\n{"b"')
  const second = gzipSync(':2}\n{"c":3}')
  const json = async (...parts: Uint8Array[]) =>
    (await rows(file('a.ndjson.gz', ...parts.map((part) => new Uint8Array(part))))).map((row) =>
      'json' in row ? row.json : row.problem,
    )

  it.each([
    ['several members', [first, second]],
    ['members in pieces', [...Buffer.concat([first, second])].map((byte) => Uint8Array.of(byte))],
    ['zeros behind', [Buffer.concat([first, second, new Uint8Array(512)])]],
    ['zeros in pieces of their own', [first, second, new Uint8Array(512), new Uint8Array(100)]],
    ['an empty member', [gzipSync(''), first, second]],
  ])('may have %s', async (_, parts) => {
    expect(await json(...parts)).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
  })

  it.each([
    ['cut off', [first.subarray(0, first.length - 12)]],
    ['followed by something else', [first, second, Buffer.from('something')]],
    ['followed by zeros and something else', [first, new Uint8Array(512), second]],
    ['no gzip', [Buffer.from('{"a":1}')]],
  ])('is refused if it is %s', async (_, parts) => {
    await expect(json(...parts)).rejects.toThrow('The file is no gzip, or it is damaged or cut off')
  })
})

describe('cells', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['a,,', ['a', '', '']],
    ['"a,""b""",c\r\n', ['a,"b"', 'c']],
    ['"",x', ['', 'x']],
    ['5" screen,6" x', ['5" screen', '6" x']],
    ['a;"b,c"', ['a', 'b,c']],
  ])('of %j are %j', async (record, cells) => {
    expect(await cellsOf(record)).toEqual([cells])
  })

  it('are told apart by what the first line says, or has', async () => {
    expect(await cellsOf('sep=|\na|b')).toEqual([['a', 'b']])
    expect(await cellsOf('\n\na;b\n1;2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
  })

  it('may have a line break in the first name, before any delimiter', async () => {
    expect(await cellsOf('"id\nnumber";text\n1;a,b')).toEqual([
      ['id\nnumber', 'text'],
      ['1', 'a,b'],
    ])
    expect(await cellsOf('"a ""b"";\r\nc"\td\n1\t2,3')).toEqual([
      ['a "b";\r\nc', 'd'],
      ['1', '2,3'],
    ])
  })

  it('are no row if all of them are empty', async () => {
    expect(await cellsOf(`id;text\n1;a\n${';;;\n'.repeat(30)} ; ;\n2;b\n,,`)).toEqual([
      ['id', 'text'],
      ['1', 'a'],
      ['2', 'b'],
      [',,'],
    ])
  })

  it('are no row if something follows a quotation, or it never ends', async () => {
    const [, one, other] = await records('h\n"a"b\n"c')
    expect([one?.problem, one?.line]).toEqual(['something follows a closing quotation mark', 2])
    expect([other?.problem, other?.line]).toEqual(['a quotation mark is never closed', 3])
  })

  it.each([
    '0',
    '-1',
    '2.5',
    '3.0',
    '1e+21',
    '1e-05',
    '1.5e-07',
    '0.00001',
    '0.1',
  ])('are a number: %s', (cell) => {
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
    '12e4',
    '1.0e+05',
    '9007199254740993',
    '0.12345678901234567890123',
  ])('are text: %s', (cell) => {
    expect(isJsonNumber(cell)).toBe(false)
  })
})

describe('a table', () => {
  it('has numbers in a column of numbers alone, and metadata within metadata', async () => {
    const table =
      '\nid,vector,ref.book,ref.verse,year\n1,"[1,2]",Mark,3,1999\n2,"[1,2]",,4.0,c. 30\nx,y\n'
    expect(await items(table)).toEqual([
      { text_id: '1', vector: [1, 2], metadata: { ref: { book: 'Mark', verse: 3 }, year: '1999' } },
      { text_id: '2', vector: [1, 2], metadata: { ref: { verse: 4 }, year: 'c. 30' } },
      ['line 5', 'it has 2 cells, not 5 as the first line'],
    ])
  })

  it('leaves JSON in cells as it is written', async () => {
    const table = 'id,metadata,k\na,"{""n"": 1e999, ""m"":9007199254740993 } ",1\nb,{},2\nc,,3\n'
    const found = await rows(file('a.csv', table))
    expect(found.map((row) => 'json' in row && row.json)).toEqual([
      '{"text_id":"a","metadata":{"n": 1e999, "m":9007199254740993 ,"k":1}}',
      '{"text_id":"b","metadata":{"k":2}}',
      '{"text_id":"c","metadata":{"k":3}}',
    ])
  })

  it('has fields of any name, and changes nothing else by them', async () => {
    const table = 'id,metadata,__proto__.method,constructor.x\na,{},DELETE,2\nb,,x,3\n'
    const found = await rows(file('a.csv', table))
    expect(found.map((row) => 'json' in row && row.json)).toEqual([
      '{"text_id":"a","metadata":{"__proto__":{"method":"DELETE"},"constructor":{"x":2}}}',
      '{"text_id":"b","metadata":{"__proto__":{"method":"x"},"constructor":{"x":3}}}',
    ])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('names the rows that cannot be one', async () => {
    const table =
      'id,embedding,metadata,n\na,[1,{},\nb,"[1,2]",3,\nc,"[1"\nd,"[1,2]",{"n":1},2\n,"[1,2]",,\ne,,,\ne,,,\n'
    expect(await items(table.replace('{"n":1}', '"{""n"":1}"'))).toEqual([
      ['line 2', "vector '[1' is no JSON"],
      ['line 3', 'metadata is no JSON object'],
      ['line 4', 'it has 2 cells, not 4 as the first line'],
      ['line 5', "metadata has 'n', which is a column too"],
      ['line 6', 'text_id is empty'],
      { text_id: 'e' },
      ['line 8', 'the same text_id is in line 7 too'],
    ])
  })

  it('has numbers for all of a vector, or none', async () => {
    const table = ',id,v0,v1\n0,a,1,\n1,b,1e-05,2\n2,c,,\n3,d,0x10,1\n4,e, ,1\n'
    expect(await items(table)).toEqual([
      ['line 2', 'v1 is no number'],
      { text_id: 'b', vector: [0.00001, 2] },
      { text_id: 'c' },
      ['line 5', 'v0 is no number'],
      ['line 6', 'v0 is no number'],
    ])
  })

  it.each([
    ['id,text,text', "Two columns are called 'text'."],
    ['id,a,', 'Column 3 has no name.'],
    ['a,vector', 'No column is called text_id or id.'],
    ['id,ref.book,ref', "'ref.book' is within a column"],
    ['id,page1,page2,v1,v2', "Either 'page1' or 'v1'"],
  ])('is refused with the columns %s', async (names, problem) => {
    await expect(items(`${names}\n1,2,3,4,5\n`)).rejects.toThrow(problem)
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

  it('may be Parquet in zstd, as polars writes it', async () => {
    // Written by pyarrow.
    const packed = new Uint8Array(await readFile('test/fixtures/zstd.parquet'))
    expect(await rows(file('zstd.parquet', packed))).toEqual([
      {
        place: 'row 1',
        id: 'a',
        json: '{"text_id":"a","text":"first","metadata":{"year":1}}',
      },
      {
        place: 'row 2',
        id: 'b',
        json: '{"text_id":"b","text":"second","metadata":{"year":2}}',
      },
    ])
  })

  it('is refused if it is Parquet with maps, of which keys would be lost', async () => {
    // Written by pyarrow: `tags` is a map with a null.
    const maps = new Uint8Array(await readFile('test/fixtures/maps.parquet'))
    await expect(rows(file('maps.parquet', maps))).rejects.toThrow(
      "The column 'tags' has values of the type MAP",
    )
  })
})
