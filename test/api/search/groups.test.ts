import { expect, it, onTestFinished, vi } from 'vitest'
import { Limiter } from '../../../src/concurrency/limiter.ts'
import { found } from '../../support/data/similars.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

it('has all groups on its pages, each once, also far down', async () => {
  const project = await newProject({}, { dimensions: 2 })
  const items = Array.from({ length: 1_300 }, (_, at) =>
    embedding(`t${at}`, [1, at / 1_000], { metadata: { group: Math.floor(at / 2) * 7 } }),
  )
  await upload(project, ...items)
  const pairs = async (options: object) => {
    const results = await found(project, { vector: [1, 0], group_by: 'group', ...options })
    return results.map(({ group, id }) => [group, id])
  }
  for (const size of [1, 2]) {
    const pages: unknown[] = []
    for (let offset = 0; offset < 800; offset += 90) {
      pages.push(...(await pairs({ limit: 90, offset, group_size: size })))
    }
    const wanted = items.flatMap((_, at) =>
      at % 2 < size ? [[Math.floor(at / 2) * 7, `t${at}`]] : [],
    )
    expect(pages).toEqual(wanted)
  }
  expect(await pairs({ offset: 2 ** 31 - 1 })).toEqual([])
})

it('takes turns where many or all texts are grouped', async () => {
  const project = await newProject({}, { dimensions: 2 })
  const items = Array.from({ length: 1_100 }, (_, at) =>
    embedding(`t${at}`, [1, at / 1_000], { metadata: { group: at }, text: 'hay' }),
  )
  await upload(project, ...items)
  const run = vi.spyOn(Limiter.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  const turns = async (asked: object) => {
    run.mockClear()
    expect(await found(project, { group_by: 'group', limit: 10, ...asked })).toHaveLength(10)
    return run.mock.contexts.flatMap((limiter, at) =>
      limiter instanceof Limiter && limiter.load.maxConcurrent === 2
        ? [{ limiter, name: run.mock.calls[at]?.[1]?.name }]
        : [],
    )
  }
  const vector = [1, 0]
  expect(await turns({ vector })).toEqual([])
  expect(await turns({ words: 'hay' })).toEqual([])
  const [byVector, ...moreByVector] = await turns({ vector, offset: 1_050, threshold: 0 })
  const [byWords, ...moreByWords] = await turns({ words: 'hay', offset: 1_050 })
  expect(byVector).toEqual({ limiter: expect.any(Limiter), name: expect.stringMatching(/^user /) })
  expect([moreByVector, moreByWords]).toEqual([[], []])
  expect(byWords?.limiter).toBe(byVector?.limiter)
})
