import { adminKey } from '../app.ts'
import { parametersOf } from '../openapi/document.ts'
import { mutateBody, mutateChunks, mutateTransport } from './bodies.ts'
import type { Draft } from './drafts.ts'
import type { OddValues } from './values.ts'

type Mutation = (draft: Draft, odd: OddValues, turn: number) => void

const always: readonly Mutation[] = [mutatePath, mutateQuery, mutateQuery, mutateHeader]
const ofBodies: readonly Mutation[] = [
  ...[mutatePath, mutateQuery, mutateHeader, mutateTransport, mutateChunks],
  ...[mutateBody, mutateBody, mutateBody, mutateBody, mutateBody, mutateBody, mutateBody],
]

/** Makes a request odd, in so many ways; `turn` sees to it that no parameter and no field is forgotten. */
export function mutate(draft: Draft, odd: OddValues, turn: number, times: number): void {
  const mutations = draft.body === undefined ? always : ofBodies
  for (let left = times; left > 0; left -= 1) odd.pick(mutations)(draft, odd, turn)
}

function mutatePath({ segments, oddities }: Draft, odd: OddValues): void {
  const names = Object.keys(segments)
  if (names.length === 0) return
  segments[odd.pick(names)] = odd.inUrl()
  oddities.push('path')
}

function mutateQuery(draft: Draft, odd: OddValues, turn: number): void {
  const declared = parametersOf(draft.operation)
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => name)
  const known = declared[turn % Math.max(1, declared.length)]
  // Refused before anything else, so that mostly nothing could be learnt from it.
  if (known === undefined && !odd.chance(15)) return
  const name =
    known === undefined || odd.chance(15) ? encodeURIComponent(odd.oddName().toWellFormed()) : known
  const what = odd.pick(['odd', 'odd', 'odd', 'repeated', 'without value', 'left out'])
  const others = draft.query.filter(([other]) => other !== name)
  if (what === 'odd') draft.query = [...others, [name, odd.inUrl()]]
  if (what === 'repeated') draft.query = [...draft.query, [name, odd.inUrl()], [name, '1']]
  if (what === 'without value') draft.query = [...others, [name, '']]
  if (what === 'left out') draft.query = others
  draft.oddities.push(`query ${what}`)
}

/** The first are tried most. */
const oddHeaders: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'Authorization',
    [
      ...['', 'Bearer', 'Bearer ', 'Bearer  x', `Bearer ${'x'.repeat(10_000)}`, 'Bearer \xff'],
      ...[`Basic ${adminKey}`, adminKey, `Bearer ${adminKey}, Bearer x`, `bearer ${adminKey}`],
      ...[`Bearer ${adminKey} `, `Bearer ${adminKey}x`, `Bearer\t${adminKey}`, 'Bearer null'],
      ...["Bearer ' or '1'='1", 'Bearer __proto__', 'Bearer %00', 'Digest username="x"'],
    ],
  ],
  [
    'Content-Type',
    [
      ...['text/plain', '', ';', 'application/xml', 'application/json; charset=utf-16'],
      ...['application/x-www-form-urlencoded', 'application/json, text/html', 'x'.repeat(9_000)],
    ],
  ],
  ['Content-Length', ['0', '5', '-1', 'abc', '99999999999', '1e3', 'NaN', '']],
  ['Accept', ['text/html', 'application/xml', '*/*;q=0', '\xe9']],
  ['X-HTTP-Method-Override', ['DELETE', 'PUT']],
  ['Origin', ['null', 'https://a.example', '\xe9']],
  ['If-None-Match', ['*']],
  ['Range', ['bytes=0-1', 'bytes=9-1']],
  ['Host', ['a.example', '', 'a b']],
  ['X-Forwarded-Host', ['a.example']],
  ['Cookie', ['a=b; __proto__=c']],
]

function mutateHeader({ headers, oddities }: Draft, odd: OddValues): void {
  const [name, values] = odd.pick(odd.chance(40) ? oddHeaders.slice(0, 1) : oddHeaders)
  headers[name] = odd.pick(values)
  oddities.push(name)
}
