import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { losses } from '../../support/authorization/losses.ts'
import { call } from '../../support/client.ts'
import { newProjectOf, textIdsIn } from '../../support/data/embeddings.ts'
import { setScheme } from '../../support/data/metadata.ts'
import { refusal } from '../../support/data/refusals.ts'
import { embedding, giveAway, newProject, newUser } from '../../support/factories.ts'

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
  it.each(Object.entries(losses))(
    'stores and deletes nothing for who has lost %s',
    async (_, lose) => {
      for (const [rest, body] of [
        ['', { embeddings: [embedding('late', [1, 2, 3])] }],
        ['/delete', { text_ids: ['there'] }],
      ] as const) {
        const { project, key = '', end, status } = await lose(() => newProjectOf('there'), 'write')
        const answer = await sendAround(project.path('embeddings') + rest, key, body, end)
        expect(answer.status, rest).toBe(status)
        if (status === 403) expect(await textIdsIn(project)).toEqual(['there'])
      }
    },
  )

  it('stores nothing for who has given the project away meanwhile', async () => {
    const project = await newProject()
    const other = await newUser()
    const body = { embeddings: [embedding('late', [1, 2, 3])] }
    const answer = await sendAround(project.path('embeddings'), project.owner.key, body, () =>
      giveAway(project, other),
    )
    expect(answer.status).toBe(404)
  })

  it('has to satisfy the metadataScheme that was set meanwhile', async () => {
    const project = await newProject()
    const { key } = project.owner
    const body = { embeddings: [embedding('late', [1, 2, 3], { metadata: {} })] }
    const answer = await sendAround(project.path('embeddings'), key, body, () =>
      setScheme(project, { required: ['author'] }),
    )
    expect(answer).toMatchObject(refusal(400, 'metadata validation failed'))
    expect(await textIdsIn(project)).toEqual([])
  })
})
