import { describe, expect, it } from 'vitest'
import { call } from '../support/client.ts'
import { embedding, newProject } from '../support/factories.ts'

/** Each definition refers twice to the next: 2^40 steps for any value. */
const doubling = {
  $ref: '#/definitions/d0',
  definitions: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `d${level}`,
      level === 39 ? {} : { allOf: [1, 2].map(() => ({ $ref: `#/definitions/d${level + 1}` })) },
    ]),
  ),
}

describe('a metadataScheme whose validation would never end', () => {
  it('costs its owner a 400, and nothing is stored', async () => {
    const project = await newProject({ metadataScheme: JSON.stringify(doubling) })
    const { key } = project.owner
    const body = { embeddings: [embedding('a', [1, 2, 3], { metadata: { a: 1 } })] }
    const answer = await call('POST', project.path('embeddings'), { key, body })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain('took longer than 1000 ms')
    const listed = await call('GET', project.path('embeddings'), { key })
    expect(listed.body.total_count).toBe(0)
  })
})
