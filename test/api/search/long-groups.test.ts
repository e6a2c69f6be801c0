import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { found } from '../../support/data/similars.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const long = 'é"'.repeat(1_000)
/** Shown as they are as far as they go, and told apart by all that they are. */
const shown = (value: unknown) => {
  const json = JSON.stringify(value)
  const hash = createHash('sha256').update(json).digest('hex')
  return `${[...json].slice(0, 100).join('')}… (${[...json].length} characters, SHA-256 ${hash})`
}

async function groupsOf(project: Project, options: object = {}): Promise<[unknown, string][]> {
  const body = { vector: [1, 0], threshold: 0, group_by: 'about.it', group_size: 3, ...options }
  return (await found(project, body)).map(({ id, group }) => [group, id])
}

const about = (it: unknown) => ({ metadata: { about: { it } } })

describe('groups of long values', () => {
  const [one, other, list] = [`${long}1`, `${long}2`, Array.from({ length: 600 }, () => 'x')]
  const last = 'y'.repeat(998)

  it('are as many as there are values, and none is that of documents without the field', async () => {
    const project = await newProject({}, { dimensions: 2 })
    await upload(
      project,
      embedding('a1', [1, 0], about(one)),
      embedding('b1', [1, 0.1], about(other)),
      embedding('n1', [1, 0.2]),
      embedding('a2', [1, 0.3], about(one)),
      embedding('n2', [1, 0.4], about(null)),
      embedding('l1', [1, 0.5], about(last)),
    )
    expect(await groupsOf(project)).toEqual([
      [shown(one), 'a1'],
      [shown(one), 'a2'],
      [shown(other), 'b1'],
      [null, 'n1'],
      [null, 'n2'],
      [last, 'l1'],
    ])
  })

  it('are told apart where the database groups the whole project', async () => {
    const project = await newProject({}, { dimensions: 2 })
    for (let from = 0; from < 1_100; from += 550) {
      const near = Array.from({ length: 550 }, (_, index) =>
        embedding(`a${from + index}`, [1, (from + index) / 100_000], about(one)),
      )
      await upload(project, ...near)
    }
    await upload(
      project,
      embedding('b', [1, 1], about(other)),
      embedding('n', [1, 1.1]),
      embedding('z', [1, 1.2], about(list)),
    )
    const [a, b, n, z, ...more] = await groupsOf(project, { group_size: 1 })
    expect([a, b, n, more]).toEqual([[shown(one), 'a0'], [shown(other), 'b'], [null, 'n'], []])
    expect(z).toEqual([expect.stringMatching(/^\["x", "x".*… \(3000 characters, SHA-256 /), 'z'])
  })
})
