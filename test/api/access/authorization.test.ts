import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { bodyOf, headersOf, urlOf } from '../../support/authorization/requests.ts'
import { type Caller, callers, type Row, rows } from '../../support/authorization/table.ts'
import { newWorld, pictureOf, type World } from '../../support/authorization/world.ts'
import { call } from '../../support/client.ts'
import {
  changesData,
  type DocumentedOperation,
  operationNamed,
  operationsOf,
} from '../../support/openapi/document.ts'

let operations: DocumentedOperation[]
/** Shared by all requests that are not meant to change anything, and what they looked like at first. */
let worlds: { private: World; public: World }
const pictures = new Map<World, unknown>()

beforeAll(async () => {
  operations = operationsOf((await testApp()).document)
  worlds = { private: await newWorld(false), public: await newWorld(true) }
  for (const world of Object.values(worlds)) pictures.set(world, await pictureOf(world))
})

const isPublic = ({ scene }: Row) => scene.startsWith('public')
const worldOf = (row: Row) => (isPublic(row) ? worlds.public : worlds.private)
const askedIn = ({ expected }: Row) => callers.filter((caller) => expected[caller] !== undefined)

const operationOf = ({ operation }: Row) => operationNamed(operations, operation)

/** The status that a caller gets; several when headers that should mean the same do not. */
async function ask(row: Row, caller: Caller, world: World) {
  const operation = operationOf(row)
  const url = urlOf(operation, row.scene, world, caller)
  const body = bodyOf(row, world)
  const statuses = new Set<number>()
  for (const headers of headersOf(world, caller)) {
    const { status } = await call(operation.method, url, { body, headers })
    statuses.add(status)
  }
  return statuses.size === 1 ? [...statuses][0] : [...statuses]
}

const changes = (row: Row) => changesData(operationOf(row))

describe('the table of permissions', () => {
  it('has every operation of the document, and no other', () => {
    const inTable = [...new Set(rows.map(({ operation }) => operation))]
    expect(inTable.sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  it('has a private, a public and a missing project for every operation on a project', () => {
    const onProject = operations.filter(({ template }) => /\{project(name)?\}/.test(template))
    for (const { id } of onProject) {
      const scenes = rows.filter(({ operation }) => operation === id).map(({ scene }) => scene)
      const kinds = new Set(scenes.map((scene) => scene.split('+')[0]))
      expect([...kinds], id).toEqual(expect.arrayContaining(['private', 'public', 'missing']))
    }
  })

  it.each(rows)('holds for $operation ($scene)', async (row) => {
    const world = worldOf(row)
    const statuses: Partial<Record<Caller, unknown>> = {}
    for (const caller of askedIn(row)) {
      const succeeds = (row.expected[caller] ?? 0) < 300
      const its = succeeds && changes(row) ? await newWorld(isPublic(row), world) : world
      statuses[caller] = await ask(row, caller, its)
    }
    expect(statuses).toEqual(row.expected)
    if (!changes(row)) return
    expect(await pictureOf(world), 'what is refused changes nothing').toEqual(pictures.get(world))
  })
})

const isFalseKey = (caller: Caller) => caller === 'malformed' || caller === 'unknown'

describe('a request that is not permitted', () => {
  const deniedIn = (row: Row) =>
    askedIn(row)
      .filter((caller) => row.expected[caller] === 401 || row.expected[caller] === 403)
      // Its projects are named in its body.
      .filter((caller) => row.operation !== 'searchProjects' || isFalseKey(caller))
      // What not even the administrator may change is a rule of its own, not a permission.
      .filter((caller) => caller !== 'admin')

  it.each(rows.filter((row) => deniedIn(row).length > 0))(
    'is refused before the rest of it is looked at: $operation ($scene)',
    async (row) => {
      const { method, declared } = operationOf(row)
      const nonsense = declared.requestBody === undefined ? {} : { raw: '{"' }
      for (const caller of deniedIn(row)) {
        const world = worldOf(row)
        const url = new URL(urlOf(operationOf(row), row.scene, world, caller), 'http://localhost')
        url.searchParams.append('limit', 'nonsense')
        url.searchParams.append('force', 'nonsense')
        const [headers = {}] = headersOf(world, caller)
        const { status } = await call(method, url.pathname + url.search, { ...nonsense, headers })
        expect(status, caller).toBe(row.expected[caller])
      }
    },
  )

  it.each(rows.filter(({ scene, expected }) => /^missing/.test(scene) && expected.nobody === 401))(
    'does not tell whether a thing exists: $operation',
    async ({ operation, scene, expected }) => {
      const world = worlds.private
      const answerOf = async (caller: Caller, kind: string) => {
        const row = { operation, scene: scene.replace('missing', kind), expected }
        const { method } = operationOf(row)
        const url = urlOf(operationOf(row), row.scene, world, caller)
        const [headers = {}] = headersOf(world, caller)
        // One id for all of them: it is the answer's only part that differs by itself.
        const sent = { ...headers, 'X-Request-Id': 'the-same' }
        const answer = await call(method, url, { body: bodyOf(row, world), headers: sent })
        return { ...answer, headers: [...answer.headers] }
      }
      for (const caller of ['nobody', 'stranger'] as const) {
        const answer = await answerOf(caller, 'there')
        for (const kind of ['missing', 'no-text', 'no-owner', 'no-owner+missing', 'no-handle']) {
          expect(await answerOf(caller, kind), `${caller}, ${kind}`).toEqual(answer)
        }
      }
    },
  )
})
