import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { textOf } from '../support/documents.ts'

const sources = readdirSync(new URL('../../src/', import.meta.url), {
  encoding: 'utf8',
  recursive: true,
}).filter((name) => name.endsWith('.ts'))

const statesSql =
  /import \{[^}]*\bembeddings\b[^}]*\} from '[^']*\/schema\.ts'|\bon embeddings ?(?:using|\$\{)/

it('the files that state SQL about `embeddings` are those that the architecture lists', () => {
  const listed = [...textOf('docs/architecture.md').matchAll(/^\| `(src\/\S+\.ts)` \|/gm)]
  const stating = sources
    .map((name) => `src/${name}`)
    .filter((path) => statesSql.test(textOf(path)))
  expect(stating.sort()).toEqual(listed.map(([, path]) => path).sort())
})
