import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checkFile } from '../../web/upload/check.ts'
import { recordsOf, sourceOf } from '../../web/upload/file-records.ts'
import { firstRecords, guessedMapping, type Mapping, mapColumn } from '../../web/upload/mapping.ts'
import { csvRecords } from '../../web/upload/records.ts'
import { isJsonNumber, rowMaker } from '../../web/upload/table-rows.ts'

const file = (name: string, ...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, name)
const all = async <Value>(values: AsyncIterable<Value>) => {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
const parquetScript = new URL('../../web/upload/parquet.ts', import.meta.url).href
/** The rows as they are sent, or what is wrong with them. */
async function rows(given: File, dimensions = 2, change = (mapping: Mapping) => mapping) {
  const source = await sourceOf(given, parquetScript)
  const sample = await firstRecords(recordsOf(source))
  const values = sample.flatMap((record) => ('values' in record ? [record.values] : []))
  const mapping = change(guessedMapping(values, dimensions))
  const options = { fileName: given.name, dimensions, mapping }
  const { signal } = new AbortController()
  const { numeric, refused } = await checkFile(source, options, signal, () => undefined)
  const make = rowMaker({ ...options, numeric })
  const reasonOf = new Map(refused.map(({ place, reason }) => [place, reason]))
  return (await all(recordsOf(source))).map((record, at) => {
    const row = make(record, at + 1)
    const problem = reasonOf.get(row.place)
    return problem === undefined && 'json' in row ? row.json : [row.place, problem]
  })
}
const read = async (given: File) => all(recordsOf(await sourceOf(given, parquetScript)))
const parsed = (row: string | unknown[]) => (typeof row === 'string' ? JSON.parse(row) : row)
const items = async (...parts: string[]) => (await rows(file('a.csv', ...parts))).map(parsed)

const records = (text: string, delimiter?: string) => {
  const given = { file: file('a.csv', ...text), encoding: 'utf-8' as const, tell: () => undefined }
  return all(csvRecords(given, delimiter))
}
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
    const read = (content: string | Uint8Array<ArrayBuffer>) => rows(file('a.csv', content))
    const damaged = Buffer.concat([Buffer.from('äöü'), Uint8Array.of(0xe9, 0x0a)])
    await expect(read(new Uint8Array(damaged))).rejects.toThrow('UTF-8')
    await expect(read('x'.repeat(9_000_000))).rejects.toThrow('more than 8 MiB')
  })

  it('may be packed', async () => {
    const packed = new Uint8Array(gzipSync('{"a":1}\n{"b":2}'))
    expect(await read(file('A.NDJSON.gz', packed))).toMatchObject([
      { place: 'line 1', json: '{"a":1}' },
      { place: 'line 2', json: '{"b":2}' },
    ])
  })

  it('of JSON are the objects of an array, or those that follow each other', async () => {
    const objects = ['{"a":"}\\"{"}', '{\n "b": [{"c": 1}]\n}', '{}']
    for (const content of [`[${objects.join(',\n')}]`, objects.join('\n')]) {
      const found = await read(file('a.json', ...content))
      expect(
        found.map((record) => 'values' in record && Object.fromEntries(record.values)),
      ).toEqual(objects.map((object) => JSON.parse(object)))
      expect(found.map(({ place }) => place)).toEqual(['line 1', 'line 2', 'line 5'])
      expect(found.every((record) => 'json' in record && !record.json?.includes('\n'))).toBe(true)
    }
    await expect(read(file('a.json', '[{"a":1},\n2]'))).rejects.toThrow('Line 2 has no JSON object')
    await expect(read(file('a.json', '[{"a":1},\n{'))).rejects.toThrow('begins in line 2')
  })
})

describe('a file of a spreadsheet', () => {
  const table = 'Title;Body;Größe\n“é”;Ünïcode – here;3\n'
  const windows = table.replaceAll(
    /[“”–]/g,
    (sign) => ({ '“': '\x93', '”': '\x94' })[sign] ?? '\x96',
  )
  const bigEndian = Buffer.from(`\ufeff${table}`, 'utf16le').swap16()

  it.each([
    ['UTF-8', Buffer.from(table)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${table}`)],
    ['UTF-16', Buffer.from(`\ufeff${table}`, 'utf16le')],
    ['UTF-16, big end first', bigEndian],
    ['Windows-1252', Buffer.from(windows, 'latin1')],
  ])('may be in %s', async (_, content) => {
    const row = { text_id: 'a-1', text: 'Ünïcode – here', metadata: { Title: '“é”', Größe: 3 } }
    for (const name of ['a.csv', 'a.txt']) {
      expect((await rows(file(name, new Uint8Array(content)))).map(parsed)).toEqual([row])
    }
  })

  it('has its only letter beyond ASCII at the very end', async () => {
    const content = Buffer.from(`id;text\n${'1;a\n'.repeat(50_000)}2;\xe9`, 'latin1')
    expect((await rows(file('a.csv', new Uint8Array(content)))).at(-1)).toBe(
      '{"text_id":"2","text":"é"}',
    )
  })

  it('may not be a workbook', async () => {
    await expect(rows(file('a.xlsx', 'x'))).rejects.toThrow('CSV UTF-8')
    await expect(rows(file('a.csv', 'PK\x03\x04'))).rejects.toThrow('CSV UTF-8')
  })
})

describe('a mapping', () => {
  it('makes rows of any JSON', async () => {
    const lines =
      '{"_id":7,"body":"a","tags":["x"],"n":{"m":1}}\n{"_id":8,"body":"b","late":true}\n'
    expect(
      await rows(file('a.jsonl', `${lines}{"_id":9,"body":"c","big":9007199254740993}`)),
    ).toEqual([
      '{"text_id":"7","text":"a","metadata":{"tags":["x"],"n":{"m":1}}}',
      '{"text_id":"8","text":"b","metadata":{"late":true}}',
      ['line 3', 'it has a number with more digits than a browser reads'],
    ])
  })

  it('leaves rows of the API as they are', async () => {
    const line =
      '{"text_id":"a", "vector":[1.0,2], "metadata":{"n":9007199254740993}, "created_at":"x"}'
    expect(await rows(file('a.jsonl', line))).toEqual([line])
    const without = (mapping: Mapping) => mapColumn(mapping, 'metadata', 'none')
    expect(
      await rows(file('a.jsonl', '{"text_id":"a","vector":[1,2],"metadata":{}}'), 2, without),
    ).toEqual(['{"text_id":"a","vector":[1,2]}'])
  })

  it('has text_ids by the name of the file if no column has them', async () => {
    const numbered = await rows(
      file('my notes.v2.csv.gz', new Uint8Array(gzipSync('text\na\n\nb\n'))),
    )
    expect(numbered.map((row) => parsed(row).text_id)).toEqual(['my notes.v2-1', 'my notes.v2-2'])
  })
})

describe('a packed file', () => {
  const first = gzipSync('{"a":1}\n{"b"')
  const second = gzipSync(':2}\n{"c":3}')
  const json = async (...parts: Uint8Array[]) =>
    (await read(file('a.ndjson.gz', ...parts.map((part) => new Uint8Array(part))))).map((row) =>
      'json' in row ? row.json : undefined,
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

  it('are numbers or text', () => {
    const numbers = '0 -1 2.5 3.0 1e+21 1e-05 1.5e-07 0.00001 0.0000001 0.0 0.1'.split(' ')
    const texts = '007 3.10 0x1 1e400 NaN Infinity 1_0 12e4 1.0e+05 9007199254740993'.split(' ')
    const others = ['', ' 1', '0.12345678901234567890123']
    expect([...texts, ...numbers, ...others].filter(isJsonNumber)).toEqual(numbers)
  })
})

describe('a table', () => {
  it('has numbers in a column of numbers alone, and metadata within metadata', async () => {
    const table =
      '\nid,vector,ref.book,ref.verse,year\n1,"[1,2]",Mark,3,1999\n2,"[1,2]",,4.0,c. 30\nx,y\n'
    expect(await items(table)).toEqual([
      { text_id: '1', vector: [1, 2], metadata: { ref: { book: 'Mark', verse: 3 }, year: '1999' } },
      { text_id: '2', vector: [1, 2], metadata: { ref: { verse: 4 }, year: 'c. 30' } },
      ['line 5', 'it has 2 cells, but the first line has 5'],
    ])
  })

  it('leaves JSON in cells as it is written', async () => {
    const table =
      'id,text,metadata,k\na,t,"{""n"": 1e999, ""m"":9007199254740993 } ",1\nb,t,{},2\nc,t,,3\n'
    expect(await rows(file('a.csv', table))).toEqual([
      '{"text_id":"a","text":"t","metadata":{"n": 1e999, "m":9007199254740993 ,"k":1}}',
      '{"text_id":"b","text":"t","metadata":{"k":2}}',
      '{"text_id":"c","text":"t","metadata":{"k":3}}',
    ])
  })

  it('has fields of any name, and changes nothing else by them', async () => {
    const table = 'id,text,metadata,__proto__.method,constructor.x\na,t,{},DELETE,2\nb,t,,x,3\n'
    expect(await rows(file('a.csv', table))).toEqual([
      '{"text_id":"a","text":"t","metadata":{"__proto__":{"method":"DELETE"},"constructor":{"x":2}}}',
      '{"text_id":"b","text":"t","metadata":{"__proto__":{"method":"x"},"constructor":{"x":3}}}',
    ])
    const line = '{"id":"a","text":"t","o":{},"o.__proto__.x":1}'
    expect(await rows(file('a.jsonl', line))).toEqual([
      ['line 1', expect.stringMatching('within another column')],
    ])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('names the rows that cannot be one', async () => {
    const long = 'x'.repeat(301)
    const table = `id,embedding,metadata,n
a,[1,{},
b,"[1,2]",3,
c,"[1"
d,"[1,2]","{""n"":1}",2
,"[1,2]",,
e,,,
f,"[1,2]",,
f,"[1,2]",,
g,"[1]",,
h,"[0,0]",,
i,"[1,""2""]",,
${long},"[1,2]",,
`
    expect(await items(table)).toEqual([
      ['line 2', '“embedding” is not a list of numbers'],
      ['line 3', '“metadata” is not a JSON object'],
      ['line 4', 'it has 2 cells, but the first line has 4'],
      ['line 5', '“metadata” has “n”, which is a column too'],
      ['line 6', '“id” is empty'],
      ['line 7', 'it has neither a vector nor a text'],
      { text_id: 'f', vector: [1, 2] },
      ['line 9', 'line 8 has the same text_id'],
      ['line 10', '“embedding” has 1 number, but vectors of this project have 2'],
      ['line 11', '“embedding” has only zeros'],
      ['line 12', '“embedding” is not a list of numbers'],
      ['line 13', '“id” has more than 300 characters'],
    ])
  })

  it('has numbers for all of a vector, or none', async () => {
    const table = ',id,v0,v1,text\n0,a,1,,\n1,b,1e-05,2,\n2,c,,,t\n3,d,0x10,1,\n4,e, ,1,\n'
    expect(await items(table)).toEqual([
      ['line 2', '“v1” is not a number'],
      { text_id: 'b', vector: [0.00001, 2] },
      { text_id: 'c', text: 't' },
      ['line 5', '“v0” is not a number'],
      ['line 6', '“v0” is not a number'],
    ])
  })

  it('may have vectors in base64', async () => {
    const vector = Buffer.from(Float32Array.of(1, 2).buffer).toString('base64')
    expect(await items(`id,vector\na,${vector}\nb,abc\n`)).toEqual([
      { text_id: 'a', vector },
      ['line 3', '“vector” is not a list of numbers'],
    ])
  })

  it('has columns that are called the same, have no name, or a line break in it', async () => {
    expect(await items('id,text,text,,"a\n b"\n1,2,3,4,5\n')).toEqual([
      { text_id: '1', text: '2', metadata: { 'text (2)': 3, 'a b': 5 } },
    ])
  })

  it.each(['ref.book,ref', 'ref,ref.book'])('cannot have the columns %s', async (names) => {
    expect(await items(`id,text,${names}\n1,2,3,4\n`)).toEqual([
      ['line 2', expect.stringMatching('would be within another column')],
    ])
  })

  it('is refused if its name says nothing', async () => {
    await expect(rows(file('a.doc', 'x'))).rejects.toThrow('must end in')
  })

  it('may be Parquet in zstd, as polars writes it', async () => {
    // Written by pyarrow.
    const packed = new Uint8Array(await readFile('test/fixtures/zstd.parquet'))
    expect(await rows(file('zstd.parquet', packed))).toEqual([
      '{"text_id":"a","text":"first","metadata":{"year":1}}',
      '{"text_id":"b","text":"second","metadata":{"year":2}}',
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
