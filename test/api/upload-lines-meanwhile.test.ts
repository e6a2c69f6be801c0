import { describe, expect, it } from 'vitest'
import { call } from '../support/client.ts'
import { ask } from '../support/exports.ts'
import { embedding, newProject, newSharee, type Project } from '../support/factories.ts'

const thousand = (name: string) =>
  Array.from({ length: 1_000 }, (_, index) => {
    const item = embedding(`${name}-${index}`, [1, 2, 3], { metadata: { n: 'text' } })
    return `${JSON.stringify(item)}\n`
  }).join('')

/** Uploads a thousand lines, does something when they are stored, and sends a thousand more. */
async function uploadAround(
  project: Project,
  act: () => Promise<{ readonly status: number }>,
  key = project.owner.key,
) {
  async function* parts() {
    yield Buffer.from(thousand('a'))
    // Asked for when the first are stored.
    expect((await act()).status).toBe(200)
    yield Buffer.from(thousand('b'))
  }
  const answer = await ask(project.path('embeddings'), key, undefined, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: ReadableStream.from(parts()),
    ...{ duplex: 'half' },
  })
  const lines = (await answer.text()).split('\n').filter((line) => line !== '')
  return JSON.parse(lines.at(-1) ?? '')
}

describe('an upload of lines', () => {
  it('follows a metadataScheme that the project is given meanwhile', async () => {
    const project = await newProject()
    const scheme = { type: 'object', properties: { n: { type: 'number' } } }
    const last = await uploadAround(project, () =>
      call('PATCH', project.path(), {
        key: project.owner.key,
        body: { metadataScheme: JSON.stringify(scheme) },
      }),
    )
    expect(last).toMatchObject({ line: 1_001, stored: 1_000, error: { status: 400 } })
  })

  it('ends with the share of who sends it', async () => {
    const project = await newProject()
    const editor = await newSharee(project, 'editor')
    const path = `${project.path()}/share/${editor.handle}`
    const unshare = () => call('DELETE', path, project.owner)
    const last = await uploadAround(project, unshare, editor.key)
    expect(last).toMatchObject({ lines: 1_000, stored: 1_000, error: { status: 403 } })
  })
})
