import { describe, expect, it } from 'vitest'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { uploadMetadata } from '../../support/data/metadata.ts'
import { searchBy } from '../../support/data/similars.ts'
import { addProject, newProject, type Project } from '../../support/factories.ts'
import { endless, hostile } from '../../support/json-schema/hostile-schemes.ts'

const withScheme = (scheme: unknown) => newProject({ metadataScheme: JSON.stringify(scheme) })
const usual = { type: 'object', required: ['book'], properties: { book: { type: 'string' } } }

async function isServed(project: Project): Promise<void> {
  expect((await uploadMetadata(project, { book: 'John' })).status).toBe(201)
  expect((await uploadMetadata(project, { book: 3 })).status).toBe(400)
  expect((await searchBy(project, [1, 0, 0])).status).toBe(200)
}

/** What is said of it in the end: who asks for much at once may have to ask again. */
async function verdictOn(project: Project, metadata: unknown): Promise<number> {
  for (;;) {
    const { status } = await uploadMetadata(project, metadata)
    if (status !== 503) return status
  }
}

describe('a metadataScheme whose validation would never end', () => {
  it.each(Object.entries(hostile))(
    'costs its owner a 400, and others nothing: %s',
    async (_, { scheme, metadata }) => {
      const [project, neighbour] = [await withScheme(scheme), await withScheme(usual)]
      const [answer] = await Promise.all([uploadMetadata(project, metadata), isServed(neighbour)])
      expect(answer.status).toBe(400)
      expect(answer.body.detail).toMatch(
        /^Validating the metadata .* took (longer than 1000 ms|more than 128 MiB of memory); simplify/,
      )
      expect(await textIdsIn(project)).toEqual([])
    },
  )

  it('lets others pass, also when several owners have several and ask for all at once', async () => {
    const neighbour = await withScheme(usual)
    await isServed(neighbour)
    const owned = await Promise.all([withScheme(endless), withScheme(endless)])
    const more = await Promise.all(
      owned.map(({ owner }) =>
        addProject(owner, 'more', {
          metadataScheme: JSON.stringify({ ...endless, title: 'more' }),
        }),
      ),
    )
    let pending = 0
    const attacks = [...owned, ...more, ...owned].map(async (project) => {
      pending += 1
      expect(await verdictOn(project, {})).toBe(400)
      pending -= 1
    })
    await isServed(neighbour)
    expect(pending).toBeGreaterThan(0)
    await Promise.all(attacks)
    await isServed(neighbour)
  })
})

it('what is said about a violation is bounded in number and length', async () => {
  const project = await withScheme({ additionalProperties: false, properties: { '💥': true } })
  const names = Array.from({ length: 250 }, (_, index) => [`${'💥'.repeat(200)}${index}`, 1])
  const { status, body } = await uploadMetadata(project, Object.fromEntries(names))
  expect(status).toBe(400)
  const [, ...lines] = body.detail.split('\n')
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toContain('and 230 more')
  expect(body.detail.length).toBeLessThan(5_000)
  expect(body.detail.isWellFormed()).toBe(true)
})
