/** Makes a text of roughly so many bytes. */
export type Making = (bytes: number) => string

/** Parts, made by their number, until there are enough bytes. */
export function parts(bytes: number, part: (index: number) => string): string {
  const made: string[] = []
  for (let [size, index] = [0, 0]; size < bytes; index += 1) {
    const one = part(index)
    made.push(one)
    size += one.length + 1
  }
  return made.join()
}

const array = (bytes: number, element: string) => {
  const count = Math.max(1, Math.floor(bytes / (element.length + 1)))
  return `[${`${element},`.repeat(count - 1)}${element}]`
}
const string = (bytes: number, piece: string) =>
  `"${piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))))}"`
const nested = (levels: number, open: string, close: string, inner = '0') =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`

/** JSON values of which a parser, a validator or a database could make too much. */
export const oddValues: Readonly<Record<string, Making>> = {
  'small numbers': (bytes) => array(bytes, '1'),
  nulls: (bytes) => array(bytes, 'null'),
  'empty strings': (bytes) => array(bytes, '""'),
  'empty objects': (bytes) => array(bytes, '{}'),
  'empty arrays': (bytes) => array(bytes, '[]'),
  'objects of one member': (bytes) => array(bytes, '{"a":1}'),
  'lists in lists': (bytes) => array(bytes, '[1,[2,[3]]]'),
  'spaced numbers': (bytes) => array(bytes, '1 \n\t\r'),
  '10,000 levels of arrays': () => nested(10_000, '[', ']'),
  'as many levels of arrays as fit': (bytes) => nested(bytes >> 1, '[', ']'),
  'as many levels of objects as fit': (bytes) => nested(Math.floor(bytes / 6), '{"a":', '}'),
  'levels of many members': (bytes) => nested(Math.floor(bytes / 18), '{"a":1,"b":2,"c":', '}'),
  'an object of many keys': (bytes) => `{${parts(bytes, (key) => `"k${key.toString(36)}":1`)}}`,
  'keys that look like indices': (bytes) =>
    `{${parts(bytes, (key) => `"${((key + 1) * 2_654_435_761) % 4_294_967_290}":1`)}}`,
  'a long key': (bytes) => `{${string(bytes, 'k')}:1}`,
  'equal keys': (bytes) => `{${parts(bytes, () => '"a":1')}}`,
  'equal keys of containers': (bytes) => `{${parts(bytes, () => '"a":[{}]')}}`,
  '__proto__ again and again': (bytes) => `{${parts(bytes, () => '"__proto__":{"a":1}')}}`,
  'keys of escapes': (bytes) => `{${parts(bytes, (key) => `"\\u0061\\n${key}":1`)}}`,
  'a long string': (bytes) => string(bytes, 'x'),
  'a string of escapes': (bytes) => string(bytes, '\\u0061'),
  'a string of lone surrogates': (bytes) => string(bytes, '\\ud800'),
  'a string of escaped NULs': (bytes) => string(bytes, '\\u0000'),
  'a string of backslashes': (bytes) => string(bytes, '\\\\'),
  'a string of quotes': (bytes) => string(bytes, '\\"'),
  'a string of emoji': (bytes) => string(bytes, '😀'),
  'a string of brackets': (bytes) => string(bytes, '[{,'),
  'a string of one wide character': (bytes) => `"é${'x'.repeat(bytes)}ā"`,
  'strings of a thousand bytes': (bytes) => array(bytes, string(1_000, 'x')),
  'numbers above float64': (bytes) => array(bytes, '1e999'),
  'numbers below float32': (bytes) => array(bytes, '1e-300'),
  'numbers of 400 digits': (bytes) => array(bytes, '9'.repeat(400)),
  'fractions of 400 digits': (bytes) => array(bytes, `0.${'123456789'.repeat(44)}`),
  'one number of many digits': (bytes) => '9'.repeat(bytes),
  'one fraction of many zeros': (bytes) => `0.${'0'.repeat(bytes)}1`,
  'one exponent of many digits': (bytes) => `1e${'9'.repeat(bytes)}`,
  'a vector of 100,000 numbers': () => array(800_000, '0.12345'),
  'a vector of lists': (bytes) => array(bytes, '[0.5,0.5]'),
  'a vector of numbers in strings': (bytes) => array(bytes, '"0.5"'),
  'a vector and then a word': (bytes) => `[${'0.125,'.repeat(Math.floor(bytes / 6))}"x"]`,
  'a vector in base64': (bytes) => string(bytes, 'AAAAPwAAgD4A'),
  'levels of $and': (bytes) => nested(Math.floor(bytes / 12), '{"$and":[', ']}', '{"a":1}'),
  'a wide $or': (bytes) => `{"$or":[${parts(bytes, (key) => `{"a":${key}}`)}]}`,
  'a wide $in': (bytes) => `{"a":{"$in":[${parts(bytes, (key) => `"${key}"`)}]}}`,
  'a long value of a field': (bytes) => `{"a":${string(bytes, 'x')}}`,
  'a long prefix of a field': (bytes) => `{"a":{"$prefix":${string(bytes, 'é')}}}`,
  'long values of a field': (bytes) => `{"a":{"$in":${array(bytes, string(10_000, 'x'))}}}`,
  'long text_ids': (bytes) => `{"text_id":{"$in":${array(bytes, string(10_000, 'x'))}}}`,
  'a long path of a field': (bytes) => `{"${'a.'.repeat(bytes >> 1)}b":1}`,
  'a schema of many rules': (bytes) =>
    `{"properties":{${parts(bytes, (key) => `"k${key}":{"type":"string","pattern":"^a+$"}`)}}}`,
  'items of text_ids': (bytes) => `[${parts(bytes, (key) => `{"text_id":"t${key}"}`)}]`,
  'items with vectors': (bytes) =>
    `[${parts(bytes, (key) => `{"text_id":"t${key}","vector":[1,2,3],"vector_dim":3,"instance_handle":"my-model"}`)}]`,
  'items with long vectors': (bytes) =>
    `[${parts(bytes, (key) => `{"text_id":"t${key}","vector":[${'0.5,'.repeat(1_535)}1]}`)}]`,
  'items with vectors of lists': (bytes) =>
    `[${parts(bytes, (key) => `{"text_id":"t${key}","vector":[[1,2,3],[4]]}`)}]`,
  'items that are equal': (bytes) => array(bytes, '{"text_id":"t","vector":[1,2,3]}'),
  'items with many vectors': (bytes) =>
    `[{${parts(bytes, () => `"vector":[${'0.5,'.repeat(40)}1]`)}}]`,
  'items in items': (bytes) => nested(Math.floor(bytes / 30), '[{"text_id":"t","vector":', '}]'),
}
