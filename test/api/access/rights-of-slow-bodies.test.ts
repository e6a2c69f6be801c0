import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { setScheme } from '../../support/data/metadata.ts'
import {
  embedding,
  giveAway,
  newProject,
  newSharee,
  newUser,
  upload,
} from '../../support/factories.ts'

/** Sends a body in two pieces, and does something between them, long after the headers were answered for. */
async function sendAround(
  path: string,
  key: string,
  body: object,
  between: () => Promise<unknown>,
) {
  const text = JSON.stringify(body)
  async function* pieces() {
    yield Buffer.from(text.slice(0, 10))
    await sleep(50)
    await between()
    yield Buffer.from(text.slice(10))
  }
  return call('POST', path, { key, raw: ReadableStream.from(pieces()) })
}

describe('a body that comes slowly', () => {
  it('stores and deletes nothing for who has lost the share meanwhile', async () => {
    const project = await newProject()
    const { key } = project.owner
    await upload(project, embedding('there', [1, 2, 3]))
    const bodies: [path: string, body: object][] = [
      [project.path('embeddings'), { embeddings: [embedding('late', [1, 2, 3])] }],
      [`${project.path('embeddings')}/delete`, { text_ids: ['there'] }],
    ]
    for (const [path, body] of bodies) {
      const editor = await newSharee(project, 'editor')
      const answer = await sendAround(path, editor.key, body, () =>
        call('DELETE', `${project.path()}/share/${editor.handle}`, { key }),
      )
      expect(answer.status, path).toBe(403)
    }
    expect(await textIdsIn(project)).toEqual(['there'])
  })

  it('stores nothing for who was deleted, or has given the project away, meanwhile', async () => {
    const project = await newProject()
    const { owner } = project
    const path = project.path('embeddings')
    const body = { embeddings: [embedding('late', [1, 2, 3])] }
    const other = await newUser()
    const answer = await sendAround(path, owner.key, body, () => giveAway(project, other))
    expect(answer.status).toBe(404)
    const left = await newProject()
    const gone = await sendAround(left.path('embeddings'), left.owner.key, body, () =>
      call('DELETE', `/v1/users/${left.owner.handle}`, { key: left.owner.key }),
    )
    expect(gone.status).toBe(401)
  })

  it('has to satisfy the metadataScheme that was set meanwhile', async () => {
    const project = await newProject()
    const { key } = project.owner
    const body = { embeddings: [embedding('late', [1, 2, 3], { metadata: {} })] }
    const answer = await sendAround(project.path('embeddings'), key, body, () =>
      setScheme(project, { required: ['author'] }),
    )
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('metadata validation failed') },
    })
    expect(await textIdsIn(project)).toEqual([])
  })
})
