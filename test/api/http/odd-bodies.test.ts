import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { createSender } from '../../support/fuzz/answers.ts'
import { piecesOf, streamOf } from '../../support/fuzz/bodies.ts'
import type { Draft } from '../../support/fuzz/drafts.ts'
import { type OddBody, oddBodiesFor } from '../../support/fuzz/odd-bodies.ts'
import { soundRequest } from '../../support/fuzz/requests.ts'
import { buildFuzzWorld } from '../../support/fuzz/world.ts'
import { operationsOf, readsByPost } from '../../support/openapi/document.ts'
import { member } from '../../support/openapi/document-schemas.ts'
import { startOwnService } from '../../support/servers/own-service.ts'
import { postgresOfRun } from '../../support/servers/postgres-place.ts'

/** Enough for thousands of small values, and for levels that a recursive function does not survive. */
const bytes = 16_000
/**
 * One of so many kinds is sent to an operation: others to each, so that all have their turn somewhere. What reads bodies
 * is the same on both engines.
 */
const divisor = postgresOfRun() === undefined ? 13 : 61

const { document } = await testApp()
const operations = operationsOf(document).filter(
  ({ declared }) => declared.requestBody !== undefined,
)

async function start() {
  const service = await startOwnService({}, false)
  const world = await buildFuzzWorld(service)
  return { ...service, world, send: createSender(service, world) }
}

let service: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  service = await start()
})
afterAll(() => service.close())

describe('odd bodies do no harm', () => {
  it.for(operations)('to $id', { timeout: 900_000 }, async (operation, { annotate }) => {
    const { world, send } = service
    await world.saved.restore()
    const changes = !readsByPost.includes(operation.id)
    const sound = await soundRequest(document, world, operation, async (draft, number) => {
      const { status, changed } = await send(draft, number)
      return (status === 200 || status === 201) && changed === changes
    })
    const all = oddBodiesFor(document, sound(), bytes)
    const first = operations.indexOf(operation)
    const tried = all.filter((_, index) => (index + first) % divisor === 0)
    const counts: Record<number, number> = {}
    for (const [number, odd] of tried.entries()) {
      for (const hasKey of [true, false]) {
        const draft = withBody(hasKey ? sound() : withoutKey(sound()), odd)
        const { status, answer } = await send(draft, number)
        expectReason(odd, status, answer, draft)
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    await annotate(`${tried.length} of ${all.length} bodies: ${JSON.stringify(counts)}`)
    // It goes on.
    const { status, changed } = await send(sound(), all.length)
    expect([200, 201]).toContain(status)
    expect(changed).toBe(changes)
  })
})

const withBody = (draft: Draft, { name, plain, contentType, transport }: OddBody): Draft => ({
  ...draft,
  headers: {
    ...draft.headers,
    ...(contentType !== undefined && { 'Content-Type': contentType }),
    ...transport.headers,
  },
  body: plain(),
  encode: (body) => {
    const sent = Buffer.from(transport.encode(body))
    return transport.chunk === undefined ? sent : streamOf(piecesOf(sent, transport.chunk, bytes))
  },
  oddities: [name],
})

/** To the project that everybody may read, where the operation is about one. */
function withoutKey({ headers: { Authorization: _, ...headers }, ...draft }: Draft): Draft {
  const segments = { ...draft.segments }
  if ('project' in segments && readsByPost.includes(draft.operation.id))
    segments['project'] = 'open'
  return { ...draft, segments, headers }
}

/** A refusal says in words what is wrong. */
function expectReason(odd: OddBody, status: number, answer: unknown, draft: Draft): void {
  const what = `${odd.name} to ${draft.operation.id}: ${JSON.stringify(answer)?.slice(0, 300)}`
  const { security = [] } = draft.operation.declared
  const isPublic = security.some((needs) => Object.keys(needs).length === 0)
  const mayCall = 'Authorization' in draft.headers || isPublic
  expect(status === 401, what).toBe(!mayCall)
  if (!mayCall) return
  const problem = status < 400 ? problemBehind(answer) : answer
  if (odd.isWrong) expect(problem, what).toBeDefined()
  if (problem === undefined) return
  expect(member(problem, 'status'), what).toBeLessThan(500)
  const detail = String(member(problem, 'detail'))
  expect(detail.length, what).toBeGreaterThan(15)
  expect(detail.length, what).toBeLessThan(2_000)
  if (odd.isWrong) expect(detail, what).toMatch(wrongness)
}

/** What went wrong after an answer by lines had begun. */
function problemBehind(answer: unknown): unknown {
  if (typeof answer !== 'string') return undefined
  return member(JSON.parse(answer.trimEnd().split('\n').at(-1) ?? ''), 'error')
}

const wrongness =
  /not (valid )?JSON|could not be read or decompressed|Content-Encoding must be|is empty|line 1|values \(members|beside the items/
