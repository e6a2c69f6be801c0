import { JsonTexts } from './json-texts.ts'
import { oddValues } from './json-values.ts'
import { noJson, oddTexts } from './texts.ts'

/** The words of a text, and the empty one. */
const words = (text: string) => ['', ...text.trim().split(/\s+/)]

/** Strings that have broken services before. */
const strings = words(String.raw`
  . .. ../.. .hidden _system _new alice/verses /etc/passwd ..\.. CON ALICE % %00 %2F %zz %ff %25 + & =
  # ? * :username {username} ' -- $1 $$ \ " {{7*7}} a,b {1,2} null undefined true NaN Infinity -1 0
  1e400 3.0 ١ __proto__ constructor toString hasOwnProperty length ref.book ref..book \. $.ref
  javascript:alert(1) http:// {"type":"object"} {"$ref":"#"} {"$ref":"https://a.example/"} {"type":1}
  [] false {"properties":{"a":{"pattern":"(a+)+$"}}} {"pattern":"["} {"__proto__":{"type":"null"}}`).concat(
  [' ', '\0', 'a\0b', '\ud800', 'x\udc00y', '\udbff\udbff', '\u202egnp.exe', '\u200f', '\ufeff'],
  [
    ...['\ufeffalice', '\uffff', '\u2028', 'e\u0301', 'İ', '😀', '👩‍👩‍👧', '\r\nX: y', '\x1b[31m'],
    'alice ',
  ],
  ['a'.repeat(100), 'a'.repeat(101), 'a'.repeat(301), '😀'.repeat(300), 'ä'.repeat(10_001)],
  ["' or '1'='1", "'; drop table users; --", '[object Object]', 'https://a b', 'a.'.repeat(400)],
)

/** What may stand in a URL between two slashes, or after `=`, though no client should write it. */
const rawInUrls = words(String.raw`
  % %zz %ff %00 %2500 %2F %2f..%2f %25 %c0%ae %ed%a0%80 %u0041 .. . %2e%2e %2e ..%2f.. ..; ;x=1 + %20
  %0d%0aX:%20y %F0%9F%98%80 %f0%9f %EF%BB%BF %E2%80%AE * :username %7Busername%7D '-- %5c \ %09 a%2Fb
  a//b alice%00 alice%2F alice%20 0 -0 -1 1 5 200 201 1.5 1. .5 1e1 0x10 1_0 01 %2B1 2147483647
  2147483648 9223372036854775808 1e400 1e-50 1e-99 NaN Infinity true TRUE false yes 1%20 %201 %D9%A3
  0.5 0.30000000000000004`).concat('x'.repeat(5_000), '%C3%84'.repeat(200))

const jsonValues = words(String.raw`
  null true false [] {} [[]] [null] [{}] {"0":1} "" "1" "true" 0 -0 -1 1.5 3.0 1e400 -1e400 1e-50
  1e999999999 9223372036854775807 9223372036854775808 18446744073709551616 2147483648 16001 1e16 NaN
  Infinity -Infinity undefined 01 +1 .5 0x1 1n 'a' [1,2,3] [0,0,0] [1e400,0,0] [1,2] [1,2,3,4]
  ["1","2","3"] [1,null,3] [1e-50,-0,1] [3.5e38,0,0] [1,[2],3] {"length":3,"0":1,"1":2,"2":3}
  {"__proto__":{"admin":true}} {"__proto__":null} {"constructor":{"prototype":{"admin":true}}}
  {"toString":1} {"toJSON":1} {"then":1} {"a":1,"a":2} {"":1} {"a\u0000b":1} {"\ud800":1} "\ud800"
  "\u0000" "\x" {"ref":{"book":"Mark","chapter":-0}} {"a":1e400} {"a":1e-400} "`).concat(
  '"\0"',
  '"\t"',
)

const oddNames = words(`
  __proto__ constructor prototype toString toJSON length $schema 0 user_id owner_id project_id
  created_at key_hash is_admin role a.b`).concat(' ', '\ud800')

/** The odd things that fuzzed requests are made of; the same for the same seed. */
export class OddValues extends JsonTexts {
  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  string(): string {
    return this.pick(strings)
  }

  /** The name of a member, or of a query or path parameter. */
  oddName(): string {
    return this.pick(oddNames)
  }

  /** For a URL, escaped or as no client should write it. */
  inUrl(): string {
    return this.oneOf<() => string>(
      () => encodeURIComponent(this.string().toWellFormed()),
      () => this.pick(rawInUrls),
    )()
  }

  /** The text of a JSON value, or of what only looks like one. */
  jsonText(): string {
    return this.oneOf<() => string>(
      () => JSON.stringify(this.string()),
      () => this.pick(jsonValues),
      () => this.oneOf(this.number(), this.noNumber(), JSON.stringify(this.number())),
      () => (this.chance(20) ? this.pick(Object.values(oddValues))(this.#bytes()) : this.vector()),
    )()
  }

  wholeBody(): string | Buffer {
    return this.pick(Object.values({ ...oddTexts, ...noJson }))(this.#bytes())
  }

  /** Few of them, mostly. */
  #bytes(): number {
    return this.below(40) === 0 ? 8 * 1024 * 1024 : this.pick([1, 100, 10_000])
  }
}
