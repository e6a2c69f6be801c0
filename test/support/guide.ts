import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
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
const anything = { asymmetricMatch: () => true }

/** What Vitest compares an answer with that a page shows; see test/api/service/guide.test.ts for the rules. */
export function matching(shown: unknown): unknown {
  if (shown === wildcard) return anything
  if (typeof shown === 'string' && shown.includes(wildcard)) {
    const parts = shown.split(wildcard).map((part) => part.replace(/[^\w]/g, '\\$&'))
    return expect.stringMatching(`^${parts.join('[^]*')}$`)
  }
  if (typeof shown === 'number') {
    const decimals = /\.(\d+)$/.exec(`${shown}`)?.[1]?.length
    return decimals === undefined ? shown : expect.closeTo(shown, decimals)
  }
  if (Array.isArray(shown)) {
    const isOpen = shown.at(-1) === wildcard
    return isOpen ? beginningWith(shown.slice(0, -1).map(matching)) : shown.map(matching)
  }
  if (typeof shown !== 'object' || shown === null) return shown
  const members = Object.entries(shown).filter(([key]) => key !== wildcard)
  const matchers = Object.fromEntries(members.map(([key, value]) => [key, matching(value)]))
  return wildcard in shown ? expect.objectContaining(matchers) : matchers
}

const beginningWith = (elements: readonly unknown[]) => ({
  asymmetricMatch(got: unknown) {
    if (!Array.isArray(got)) return false
    expect(got.slice(0, elements.length)).toEqual(elements)
    return true
  },
})
