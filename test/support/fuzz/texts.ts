import { type Making, parts } from './json-values.ts'

/** What stands around a value, of a body as it should be. */
export interface Frame {
  readonly before: string
  readonly after: string
}

/** JSON texts that are odd as a whole. */
export const oddTexts: Readonly<Record<string, Making>> = {
  'white space and then a value': (bytes) => `${' \n\t\r'.repeat(bytes >> 2)}{}`,
  'a value and then white space': (bytes) => `{}${' \n\t\r'.repeat(bytes >> 2)}`,
  'a byte order mark': () => '\ufeff{}',
  'a member with a list, again and again': (bytes) =>
    `{${parts(bytes, () => '"embeddings":[{"text_id":"t","vector":[1,2,3]}]')}}`,
  'many lists of items': (bytes) => `{${parts(bytes, (key) => `"l${key}":[{"vector":[1]}]`)}}`,
  'lists of items and of others': (bytes) => `{"embeddings":[${parts(bytes, () => '{},1,[{}]')}]}`,
  'a bare list': (bytes) => `[${parts(bytes, () => '{"text_id":"t"}')}]`,
}

/** Texts that are no JSON, and that no operation may take. */
export const noJson: Readonly<Record<string, (bytes: number) => string | Buffer>> = {
  'white space alone': (bytes) => ' \n\t\r'.repeat(bytes >> 2),
  'line feeds': (bytes) => '\n'.repeat(bytes),
  'opening brackets': (bytes) => '['.repeat(bytes),
  'opening braces': (bytes) => '{'.repeat(bytes),
  'openings of objects in arrays': (bytes) => '[{"a":'.repeat(Math.floor(bytes / 6)),
  'closing brackets': (bytes) => ']'.repeat(bytes),
  commas: (bytes) => ','.repeat(bytes),
  'an array of commas': (bytes) => `[${','.repeat(bytes)}]`,
  colons: (bytes) => ':'.repeat(bytes),
  quotes: (bytes) => '"'.repeat(bytes | 1),
  backslashes: (bytes) => '\\'.repeat(bytes),
  'a string of backslashes without an end': (bytes) => `"${'\\'.repeat(bytes)}`,
  'a string of short escapes without an end': (bytes) => `"${'\\n'.repeat(bytes >> 1)}`,
  'a string of escapes without an end': (bytes) => `"${'\\u0061'.repeat(Math.floor(bytes / 6))}`,
  'a string without an end': (bytes) => `{"a":"${'x'.repeat(bytes)}`,
  'an array without an end': (bytes) => `{"a":[${'1,'.repeat(bytes >> 1)}`,
  'a list of items without an end': (bytes) =>
    `{"embeddings":[${parts(bytes, () => '{"vector":[1]}')}`,
  'an item without an end': (bytes) => `{"embeddings":[{"vector":[${'0.5,'.repeat(bytes >> 2)}`,
  'brackets of other kinds': (bytes) => `{"embeddings":[${'{]}['.repeat(bytes >> 2)}`,
  'a comma at the end of many': (bytes) => `{"a":[${'1,'.repeat(bytes >> 1)}]}`,
  'trailing junk': (bytes) => `{"a":1}${'x'.repeat(bytes)}`,
  'a second value': (bytes) => '{"a":1}'.repeat(2 + Math.floor(bytes / 7)),
  NaN: (bytes) => `{"vector":[${'NaN,'.repeat(bytes >> 2)}1]}`,
  'a NaN behind many numbers': (bytes) => `{"vector":[${'0.5,'.repeat(bytes >> 2)}NaN]}`,
  'numbers of other languages': (bytes) => `{"vector":[${'0x1,'.repeat(bytes >> 2)}1]}`,
  'one word': (bytes) => 'x'.repeat(bytes),
  minuses: (bytes) => '-'.repeat(bytes),
  'single quotes': (bytes) => `{'a':'${'x'.repeat(bytes)}'}`,
  comments: (bytes) => `${'// a comment\n'.repeat(Math.floor(bytes / 13))}{}`,
  'control characters in a string': (bytes) => `{"a":"${'\x01'.repeat(bytes)}"}`,
  'a form': (bytes) => `a=1&${'b=2&'.repeat(bytes >> 2)}`,
  XML: (bytes) => '<a>'.repeat(Math.floor(bytes / 3)),
  'UTF-16, little-endian': (bytes) => utf16(bytes),
  'UTF-16, big-endian': (bytes) => utf16(bytes).swap16(),
  'bytes that are no UTF-8': (bytes) => framed('{"a":"', Buffer.alloc(bytes, 0xff), '"}'),
  'overlong UTF-8': (bytes) =>
    framed('{"a":"', Buffer.alloc(bytes & ~1, '\xc0\x80', 'latin1'), '"}'),
  'surrogates in UTF-8': (bytes) =>
    framed('{"a":"', Buffer.alloc(3 * Math.floor(bytes / 3), '\xed\xa0\x80', 'latin1'), '"}'),
  NULs: (bytes) => Buffer.alloc(bytes),
  'byte order marks': (bytes) => '\ufeff'.repeat(2 + Math.floor(bytes / 3)),
}

const framed = (before: string, inner: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), inner, Buffer.from(after)])

const utf16 = (bytes: number) => Buffer.from(`\ufeff{"a":"${'x'.repeat(bytes >> 1)}"}`, 'utf16le')

/** Texts of lines of JSON, of which an upload or an import could make too much. */
export const oddLines: Readonly<Record<string, (bytes: number, frame: Frame) => string>> = {
  'one line without an end': (bytes, { before }) => `${before}"${'x'.repeat(bytes)}`,
  'one line of numbers': (bytes, { before, after }) =>
    `${before}[${'1,'.repeat(bytes >> 1)}1]${after}\n`,
  'empty lines': (bytes) => '\n'.repeat(bytes),
  'lines of spaces': (bytes) => ' \t \r\n'.repeat(Math.floor(bytes / 5)),
  'empty lines and then one': (bytes, { before, after }) =>
    `${'\n'.repeat(bytes)}${before}1${after}\n`,
  'carriage returns': (bytes) => '\r'.repeat(bytes),
  'lines of empty objects': (bytes) => '{}\n'.repeat(Math.floor(bytes / 3)),
  'lines of one bracket': (bytes) => '[\n'.repeat(bytes >> 1),
  'lines of one byte': (bytes) => '1\n'.repeat(bytes >> 1),
  'lines of byte order marks': (bytes) => '\ufeff\n'.repeat(bytes >> 2),
  'lines that are equal': (bytes, { before, after }) => {
    const line = `${before}1${after}\n`
    return line.repeat(Math.ceil(bytes / line.length))
  },
  'lines of many levels': (bytes) =>
    `${'['.repeat(1_000)}${']'.repeat(1_000)}\n`.repeat(1 + Math.floor(bytes / 2_001)),
  'long lines of numbers': (bytes, { before, after }) => {
    const line = `${before}[${'1,'.repeat(50_000)}1]${after}\n`
    return line.repeat(Math.max(1, Math.floor(bytes / line.length)))
  },
  'two values on a line': (bytes) => '{} {}\n'.repeat(Math.floor(bytes / 6)),
  'lines of NaN': (bytes) => 'NaN\n'.repeat(bytes >> 2),
}
