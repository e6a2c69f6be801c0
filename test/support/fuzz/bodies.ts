import { maxBodyBytes } from '../app.ts'
import type { Draft } from './drafts.ts'
import { type Transport, transports } from './transports.ts'
import type { OddValues } from './values.ts'

type Path = readonly (string | number)[]
type Change = (body: string, odd: OddValues, draft: Draft, turn: number) => string | Buffer

const changes: Readonly<Record<string, Change>> = {
  'odd value': (body, odd, _, turn) => {
    const value: unknown = JSON.parse(body)
    const places = placesIn(value)
    return withText(value, places[turn % places.length] ?? [], odd.jsonText())
  },
  'missing field': (body, odd) => {
    const value: unknown = JSON.parse(body)
    return JSON.stringify(changed(value, odd.pick(placesIn(value)), () => undefined)) ?? ''
  },
  // A member more, which may be there already.
  'more fields': (body, odd, { fields }, turn) => {
    const openings = [...body.matchAll(/\{/g)].map(({ index }) => index + 1)
    const [known, sample] = fields[turn % Math.max(1, fields.length)] ?? ['', '']
    const name = odd.chance(75) ? known : odd.oddName()
    const more = `${JSON.stringify(name)}:${odd.chance(50) ? sample : odd.jsonText()}`
    // At the front the other one counts, at the end this one.
    if (odd.chance(50)) return body.replace(/\}$/, () => `,${more}}`)
    const at = odd.pick(openings.length === 0 ? [0] : openings)
    return `${body.slice(0, at)}${more},${body.slice(at)}`
  },
  'in an array': (body) => `[${body}]`,
  'another body': (_, odd) => odd.wholeBody(),
  'damaged body': (body, odd) => odd.damaged(body),
}

/** Changes the JSON text of the body; `turn` sees to it that no field is forgotten. */
export function mutateBody(draft: Draft, odd: OddValues, turn: number): void {
  const { body } = draft
  // What was made deep before is odd enough, and too deep to walk.
  if (body === undefined || body.length > 2_000) return
  const what = odd.pick(['odd value', 'odd value', 'more fields', ...Object.keys(changes)])
  try {
    draft.body = Buffer.from(changes[what]?.(body.toString(), odd, draft, turn) ?? '')
    draft.oddities.push(what)
  } catch (error) {
    // Was no JSON any more after the change before.
    if (!(error instanceof SyntaxError)) throw error
  }
}

/** Has a body sent in one of the usual or unusual ways, which mostly it says. */
export function mutateTransport(draft: Draft, odd: OddValues): void {
  const [what, transport] = odd.pick(Object.entries(transports))
  sendBy(draft, transport)
  if (odd.chance(10)) {
    const others = ['br', 'deflate', 'GZIP', 'gzip, gzip', 'identity', '', 'x-gzip', '*']
    draft.headers['Content-Encoding'] = odd.pick(others)
  }
  draft.oddities.push(what)
}

export function sendBy(draft: Draft, { headers, encode, chunk }: Transport): void {
  Object.assign(draft.headers, headers)
  draft.encode = (plain) => {
    const sent = Buffer.from(encode(plain))
    return chunk === undefined ? sent : streamOf(piecesOf(sent, chunk))
  }
}

/** Sends the body in chunks, which may be too many or break off. */
export function mutateChunks(draft: Draft, odd: OddValues): void {
  const what = odd.pick(['chunks', 'broken off', 'too many chunks'])
  const size = 1 + odd.below(50)
  draft.encode = (plain) => {
    if (what === 'too many chunks') return streamOf(repeated(Buffer.alloc(1024 * 1024, ' '), 5))
    return streamOf(piecesOf(plain, size), what === 'broken off')
  }
  draft.oddities.push(what)
}

function* repeated(chunk: Buffer, times: number): Generator<Uint8Array> {
  for (let sent = 0; sent * chunk.length < times * maxBodyBytes; sent += 1) yield chunk
}

const mostPieces = 4_000

/** In larger pieces where there would be too many. */
function* piecesOf(plain: Buffer, size: number): Generator<Uint8Array> {
  const step = Math.max(size, Math.floor(plain.length / mostPieces))
  for (let at = 0; at < plain.length; at += step) yield plain.subarray(at, at + step)
}

function streamOf(chunks: Iterator<Uint8Array>, breaks = false): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const { value, done } = chunks.next()
      if (done !== true) controller.enqueue(value)
      else if (breaks) controller.error(new Error('the client is gone'))
      else controller.close()
    },
  })
}

export const isTree = (value: unknown): value is object =>
  typeof value === 'object' && value !== null

function placesIn(value: unknown, path: Path = []): [Path, ...Path[]] {
  if (!isTree(value)) return [path]
  const inner = Object.entries(value).flatMap(([key, child]) => placesIn(child, [...path, key]))
  return [path, ...inner]
}

function changed(value: unknown, path: Path, to: () => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return to()
  if (!isTree(value)) return value
  const copy = Array.isArray(value) ? [...value] : { ...value }
  Reflect.set(copy, key, changed(Reflect.get(value, key), rest, to))
  return copy
}

const hole = 'a place for a text'
/** The JSON text with one value replaced by a text, which need not be JSON. */
export const withText = (value: unknown, path: Path, text: string): string =>
  JSON.stringify(changed(value, path, () => hole)).replace(JSON.stringify(hole), () => text)
