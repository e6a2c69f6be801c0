import { readdirSync } from 'node:fs'
import { textOf } from './documents.ts'

const folder = 'docs/guide/'

/** The examples of these are Python, which the client's tests run, or settings of other programs. */
const withoutRequests = ['frameworks.md', 'coming-from-chroma.md', 'mcp.md']
export const guidePages = readdirSync(new URL(`../../${folder}`, import.meta.url))
  .filter((name) => name.endsWith('.md') && !withoutRequests.includes(name))
  .map((name) => `${folder}${name}`)

/** What it sends, all other pages begin with. */
export const firstPage = `${folder}first-corpus.md`

/** A request that a page shows, and what it says that the answer is. */
export interface Example {
  /** Of its first line in the page. */
  readonly line: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Values of the block behind it: one, or one for each line where it is ndjson. */
  readonly answer: readonly unknown[] | undefined
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm

/** The `http` blocks of a page; the answer is the next block if that is `json` or `ndjson`. */
export function examplesOf(page: string): Example[] {
  const text = textOf(page)
  const blocks = [...text.matchAll(fence)].map(({ index, 1: language = '', 2: content = '' }) => ({
    line: text.slice(0, index).split('\n').length + 1,
    language,
    content,
  }))
  return blocks.flatMap(({ line, language, content }, index) => {
    if (language !== 'http') return []
    const [head = '', ...bodies] = content.trimEnd().split('\n\n')
    const [first = '', ...fields] = head.split('\n')
    const [method = '', path = ''] = first.split(' ')
    const headers = Object.fromEntries(fields.map((field) => field.split(/: */, 2)))
    return [
      {
        line,
        method,
        path,
        headers,
        body: bodies.join('\n\n'),
        answer: valuesOf(blocks[index + 1]),
      },
    ]
  })
}

function valuesOf(block: { language: string; content: string } | undefined) {
  if (block?.language === 'json') return [JSON.parse(block.content)]
  if (block?.language === 'ndjson') return linesOf(block.content)
  return undefined
}

/** What the lines of NDJSON hold. */
export const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const wildcard = '…'

/**
 * What of an answer is not as a page shows it; see test/api/service/guide.test.ts for the rules.
 * @returns the first place that differs, undefined when there is none
 */
export function difference(shown: unknown, got: unknown, place = 'answer'): string | undefined {
  if (typeof shown === 'string' && shown.includes(wildcard)) return differentText(shown, got, place)
  if (typeof shown === 'number' && typeof got === 'number') {
    const decimals = /\.(\d+)$/.exec(`${shown}`)?.[1]?.length ?? 0
    return Math.abs(shown - got) <= (decimals === 0 ? 0 : 0.5001 * 10 ** -decimals)
      ? undefined
      : differs(shown, got, place)
  }
  if (typeof shown !== 'object' || shown === null) {
    return shown === got ? undefined : differs(shown, got, place)
  }
  if (typeof got !== 'object' || got === null || Array.isArray(shown) !== Array.isArray(got)) {
    return differs(shown, got, place)
  }
  return differentMembers(new Map(Object.entries(shown)), new Map(Object.entries(got)), place)
}

function differentText(shown: string, got: unknown, place: string) {
  if (shown === wildcard) return undefined
  const parts = shown.split(wildcard).map((part) => part.replace(/[^\w]/g, '\\$&'))
  const isLike = typeof got === 'string' && new RegExp(`^${parts.join('[^]*')}$`).test(got)
  return isLike ? undefined : differs(shown, got, place)
}

function differentMembers(
  shown: ReadonlyMap<string, unknown>,
  got: ReadonlyMap<string, unknown>,
  place: string,
): string | undefined {
  // As a key, or as the last element of a list: there may be more.
  const isOpen = shown.has(wildcard) || shown.get(`${shown.size - 1}`) === wildcard
  for (const [key, value] of shown) {
    if (key === wildcard || (isOpen && value === wildcard && key === `${shown.size - 1}`)) continue
    if (!got.has(key)) return `${place}.${key} is missing`
    const found = difference(value, got.get(key), `${place}.${key}`)
    if (found !== undefined) return found
  }
  const more = isOpen ? undefined : [...got.keys()].find((key) => !shown.has(key))
  return more === undefined ? undefined : `${place}.${more} is not shown`
}

const differs = (shown: unknown, got: unknown, place: string) =>
  `${place} is ${JSON.stringify(got)}, shown is ${JSON.stringify(shown)}`
