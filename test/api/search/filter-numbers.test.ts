import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

describe('the filter by a number', () => {
  it.each([
    [1e-7, '1e-7'],
    [1e21, '1e+21'],
    [1e-7, '0.0000001'],
    [0.5, '0.5'],
  ])('takes %d by its JSON text %s, as a scalar and in an array', async (number, value) => {
    const project = await newProject({ public_read: true })
    await upload(
      project,
      embedding('scalar', [1, 0, 0], { metadata: { at: number } }),
      embedding('element', [1, 0, 0], { metadata: { at: ['x', number] } }),
      embedding('other', [1, 0, 0], { metadata: { at: 2 } }),
    )
    const query = new URLSearchParams({ metadata_path: 'at', metadata_value: value })
    const body = { vector: [1, 0, 0] }
    const answer = await call('POST', `${project.path('similars')}?${query}`, { body })
    expect(answer.body.results.map(({ id }: { id: string }) => id)).toEqual(['other'])
  })
})
