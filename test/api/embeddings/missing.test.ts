import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exampleDigest } from '../../../src/embeddings/difference-routes.ts'
import { exampleUpload } from '../../../src/embeddings/schemas.ts'
import { call } from '../../support/client.ts'
import { add, structured } from '../../support/data/indexed.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'
import { hasPython, python } from '../../support/python.ts'

const compare = (project: Project, items: unknown) =>
  call('POST', `${project.path('embeddings')}/missing`, { key: project.owner.key, body: { items } })

interface Content {
  readonly vector: number[]
  readonly text?: string
  readonly metadata?: object
}

/** The snippet of the documentation, run for these embeddings. */
function digestsByPython(contents: readonly Content[]): string[] {
  const guide = readFileSync('docs/guide/bulk.md', 'utf8')
  const [, snippet = ''] = /```python\n(import hashlib[\s\S]*?)```/.exec(guide) ?? []
  const program = `${snippet}
import sys
print(json.dumps([digest(**each) for each in json.load(sys.stdin)]))`
  return JSON.parse(
    execFileSync(python, ['-c', program], { input: JSON.stringify(contents) }).toString(),
  )
}

const inPython = it.skipIf(
  !hasPython('json', 'no digest is made by the snippet of the documentation'),
)

const contents: Content[] = [
  { vector: [0.1, -1e-7, 3] },
  { vector: [1, 2, 3], text: '' },
  { vector: [1, 2, 3], metadata: {} },
  {
    vector: [1, 2, 3],
    text: 'Ünï"\\\n\u0001 😀\u2028',
    metadata: { ﬁ: 1, a: [true, null, {}], É: 'é', '10': -5 },
  },
]

describe('which embeddings are missing or different', () => {
  inPython('is told by the digest of the documentation', async () => {
    const project = await newProject()
    const [{ vector, text, metadata } = { vector: [] }] = exampleUpload.embeddings
    const all = [...contents, { vector, text, metadata } as Content]
    await upload(
      project,
      ...all.map(({ vector, ...fields }, index) => embedding(`t${index}`, vector, fields)),
    )
    const digests = digestsByPython(all)
    expect(digests.at(-1)).toBe(exampleDigest)
    const items = digests.map((sha256, index) => ({ text_id: `t${index}`, sha256 }))
    const none = { missing: [], missing_count: 0, different: [], different_count: 0 }
    expect(await compare(project, items)).toMatchObject({ status: 200, body: none })
    const shifted = items.map(({ text_id }, index) => ({
      text_id,
      sha256: digests[(index + 1) % digests.length]?.toUpperCase(),
    }))
    expect((await compare(project, shifted)).body.different).toEqual(
      items.map(({ text_id }) => text_id),
    )
  })

  it('is told by every digit of a digest', async () => {
    const project = await newProject()
    const [{ vector, text, metadata } = { vector: [] }] = exampleUpload.embeddings
    const textIds = Array.from(exampleDigest, (_, at) => `t${at}`)
    await upload(project, ...textIds.map((id) => embedding(id, vector, { text, metadata })))
    const items = textIds.map((text_id, at) => {
      const other = exampleDigest[at] === '0' ? '1' : '0'
      return { text_id, sha256: exampleDigest.slice(0, at) + other + exampleDigest.slice(at + 1) }
    })
    expect((await compare(project, items)).body).toMatchObject({ different: textIds })
  })

  it('takes items with and without digests, in their order, also twice', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 2, 3]), embedding('b', [1, 2, 3]))
    const other = { sha256: '0'.repeat(64) }
    const items = [
      { text_id: 'z', ...other },
      { text_id: 'b', ...other },
      { text_id: 'a' },
      { text_id: 'c' },
      { text_id: 'z' },
      { text_id: 'b' },
    ]
    expect((await compare(project, items)).body).toEqual({
      missing: ['z', 'c'],
      missing_count: 2,
      different: ['b'],
      different_count: 1,
    })
    expect((await compare(project, [])).body).toMatchObject({ missing_count: 0 })
  })

  inPython('is found of thousands', async () => {
    const project = await newProject({}, { dimensions: 24 })
    const documents = structured(2_000, 24)
    await add(project, documents)
    const digests = digestsByPython(
      documents.map(({ vector, metadata }) => ({
        vector: [...vector],
        ...(metadata && { metadata }),
      })),
    )
    const items = documents.map(({ text_id }, index) => ({ text_id, sha256: digests[index] }))
    const more = Array.from({ length: 8_000 }, (_, index) => ({ text_id: `new${index}` }))
    const { body } = await compare(project, [...items, ...more])
    expect(body).toMatchObject({ missing_count: 8_000, different: [] })
  })

  it.each([
    [
      [{ text_id: 'a', sha256: 'x' }],
      "items[0].sha256: must be 64 hexadecimal digits (text_id 'a')",
    ],
    [
      [{ text_id: 'a', sha: 'x' }],
      "items[0]: Unknown field 'sha'; known here: text_id, sha256 (text_id 'a')",
    ],
    [Array(10_001).fill({ text_id: 'a' }), 'items: must have at most 10000 items'],
  ])('refuses what it does not know', async (items, detail) => {
    const project = await newProject()
    expect(await compare(project, items)).toMatchObject({ status: 400, body: { detail } })
  })
})
