import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { createSender } from '../../support/fuzz/answers.ts'
import { requestsWithOddBodies } from '../../support/fuzz/odd-bodies.ts'
import { fuzzedRequests, soundRequest } from '../../support/fuzz/requests.ts'
import { buildFuzzWorld } from '../../support/fuzz/world.ts'
import { changesData, operationsOf } from '../../support/openapi/document.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

/** In all. Fewer for the embedded engine, whose one connection answers more slowly. */
const wanted = inject('engine') === 'postgres' ? 16_000 : 5_000
/** One of so many odd bodies. What reads them is the same on both engines. */
const divisor = inject('engine') === 'embedded' ? 13 : 61
const { document } = await testApp()
/**
 * A backup takes nothing that could be odd, and each is an answer of 40 MB. The test of an instance does
 * what it is for only with a provider.
 */
const leftOut = ['backUpDatabase', 'testInstance']
const operations = operationsOf(document).filter(({ id }) => !leftOut.includes(id))
const count = Math.ceil(wanted / operations.length)

async function start() {
  const service = await startOwnService({}, false)
  const world = await buildFuzzWorld(service)
  return { ...service, world, send: createSender(service, world) }
}

const isAccepted = (status: number) => status === 200 || status === 201

let fuzzed: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  fuzzed = await start()
})
afterAll(() => fuzzed.close())

describe(`${count * operations.length} odd requests do no harm`, () => {
  it.for(operations)('to $id', { timeout: 900_000 }, async (operation, { annotate }) => {
    const { world, send } = fuzzed
    const isRead = !changesData(operation)
    await world.saved.restore()
    const sound = await soundRequest(document, world, operation, async (draft, number) => {
      const { status, changed } = await send(draft, number)
      return isAccepted(status) && changed !== isRead
    })
    const counts: Record<number, number> = {}
    let sent = 0
    let changes = 0
    async function note(draft: Parameters<typeof send>[0]) {
      const { status, changed } = await send(draft, sent)
      counts[status] = (counts[status] ?? 0) + 1
      sent += 1
      if (changed) changes += 1
    }
    const requests = fuzzedRequests(document, world, operation, sound)
    for (let number = 0; number < count; number += 1) await note(requests(number))
    // Some must get far enough to do harm, and to have it noticed.
    const accepted = (counts[200] ?? 0) + (counts[201] ?? 0)
    expect(accepted).toBeGreaterThan(count / 100)
    expect(changes > 0).toBe(!isRead)
    const turn = operations.indexOf(operation)
    for (const draft of requestsWithOddBodies(document, sound, divisor, turn)) await note(draft)
    await annotate(`${JSON.stringify(counts)}, ${changes} changes`)
    // It goes on.
    const { status, changed } = await send(sound(), sent)
    expect([isAccepted(status), changed]).toEqual([true, !isRead])
  })
})

describe('odd requests that found something', () => {
  it.each([
    ['/v1/api-standards?x=%00', "Unknown query parameter 'x'; there are none here"],
    ['/livez?=%00', 'A query parameter has no name'],
    ['/livez?&', 'A query parameter has no name'],
  ])('%s: a NUL is no failure where nothing is read from the URL', async (path, detail) => {
    expect(await call('GET', path)).toMatchObject({ status: 400, body: { detail } })
  })
})
