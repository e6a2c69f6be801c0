import { describe, expect, it } from 'vitest'
import { unknownNames } from '../support/comments.ts'
import { filesIn, namesIn, textOf } from '../support/documents.ts'

const commented = ['src', 'web', 'clients/typescript/src', 'test', 'bench'].flatMap(filesIn)
const others = ['docs', 'drizzle'].flatMap(filesIn)

describe('comments', () => {
  it('name files, functions, classes and members that exist', () => {
    // Not what is planted below.
    const paths = commented.filter((path) => /(?<!unit\/comments\.test)\.tsx?$/.test(path))
    const sources = new Map(paths.map((path) => [path, textOf(path)]))
    expect(unknownNames(sources, [...commented, ...others, ...namesIn('.')])).toEqual([])
  })

  it('that name others are found', () => {
    const source = `
/** \`Pool.take\`, a \`Queue\`, \`add(item)\`, \`plain\`, pool.ts, db/pool.ts and https://example.org/a.ts */
export class Pool {
  take() {} // \`Pool.give\`, \`takeAll\`, src/pool.ts and queue.ts
}`
    expect(unknownNames(new Map([['src/db/pool.ts', source]]), ['src/db/pool.ts'])).toEqual(
      ['src/pool.ts', 'queue.ts', '`Queue`', '`add(item)`', '`Pool.give`', '`takeAll`'].map(
        (name) => `src/db/pool.ts: ${name}`,
      ),
    )
  })
})
