import { afterEach, expect, it, vi } from 'vitest'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { cacheLimits } from '../../support/app.ts'
import { similarity } from '../../support/data/vectors.ts'
import { askerOf, makeProject, store } from '../../support/servers/own-projects.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import { waitUntil } from '../../support/wait.ts'

const dimensions = 32
const threshold = 0.2

let close = async () => {}
afterEach(() => close())

it('memory counts for totals, also what has changed since a filter was looked up', async () => {
  const service = await startOwnService({ cacheLimits })
  close = service.close
  const ask = askerOf(service)
  const random = randomNumbers(5)
  const newDocument = (at: number) => ({
    text_id: `t${at}`,
    vector: Array.from({ length: dimensions }, () => Math.fround(random() - 0.5)),
    metadata: { even: at % 2 === 0 },
  })
  await makeProject(ask, 'ann/texts', dimensions)
  const documents = Array.from({ length: 500 }, (_, at) => newDocument(at))
  await store(ask, 'ann/texts', documents)
  const counted = vi.spyOn(service.vectorCache, 'nearest')
  const inMemory = async () => {
    const { counted: count } = (await counted.mock.results.at(-1)?.value) ?? {}
    return count !== undefined
  }
  const filter = { even: true }
  const search = async (body: object) =>
    (await ask('POST', '/v1/similars/ann/texts', { threshold, totals: true, ...body })).body
  const expectTotals = async () => {
    const source = documents[8] ?? expect.fail()
    const similar = documents.filter(({ vector }) => similarity(vector, source.vector) >= threshold)
    const even = similar.filter(({ metadata }) => metadata.even)
    const { vector, text_id } = source
    const cases: [object, number][] = [
      [{ vector }, similar.length],
      [{ vector, limit: 1 }, similar.length],
      [{ text_id }, similar.length - 1],
      [{ vector, filter }, even.length],
      [{ text_id, filter }, even.length - 1],
    ]
    for (const [body, total] of cases) {
      expect((await search(body)).total_similar, JSON.stringify(body)).toBe(total)
      expect(await inMemory()).toBe(true)
    }
  }
  await waitUntil(async () => {
    await search({ text_id: 't8', limit: 1 })
    return inMemory()
  })
  // The first search with a filter may never come again, so only the second makes its mask.
  for (const _ of [1, 2]) await search({ text_id: 't8', filter, totals: false })
  await expectTotals()
  for (const at of [8, 9, 30, 31]) documents[at] = newDocument(at)
  documents.push(newDocument(500), newDocument(501))
  const changed = [8, 9, 30, 31, 500, 501].flatMap((at) => documents[at] ?? [])
  await store(ask, 'ann/texts', changed, '?on_conflict=replace')
  await ask('DELETE', '/v1/embeddings/ann/texts/t40')
  documents.splice(40, 1)
  await expectTotals()
  const unknown = await search({ text_id: 't8', limit: 1, filter: { even: { $ne: false } } })
  expect([unknown.total_similar, await inMemory()]).toEqual([
    (await search({ text_id: 't8', filter })).total_similar,
    false,
  ])
})
