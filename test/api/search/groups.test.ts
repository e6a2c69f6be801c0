import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

it('has all groups on its pages, each once, also far down', async () => {
  const project = await newProject({}, { dimensions: 2 })
  const items = Array.from({ length: 1_300 }, (_, at) =>
    embedding(`t${at}`, [1, at / 1_000], { metadata: { group: Math.floor(at / 2) * 7 } }),
  )
  await upload(project, ...items)
  const found = async (options: object) => {
    const body = { vector: [1, 0], group_by: 'group', ...options }
    const answer = await call('POST', project.path('similars'), { key: project.owner.key, body })
    expect(answer.status).toBe(200)
    return answer.body.results.map(({ group, id }: { group: number; id: string }) => [group, id])
  }
  for (const size of [1, 2]) {
    const pages: unknown[] = []
    for (let offset = 0; offset < 800; offset += 90) {
      pages.push(...(await found({ limit: 90, offset, group_size: size })))
    }
    const wanted = items.flatMap((_, at) =>
      at % 2 < size ? [[Math.floor(at / 2) * 7, `t${at}`]] : [],
    )
    expect(pages).toEqual(wanted)
  }
  expect(await found({ offset: 2 ** 31 - 1 })).toEqual([])
})
