import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import {
  type KeyKind,
  type KeyRow,
  keyKinds,
  keyRows,
} from '../../support/authorization/key-table.ts'
import { bodyOf, urlOf } from '../../support/authorization/requests.ts'
import { newWorld, pictureOf, things, type World } from '../../support/authorization/world.ts'
import { call } from '../../support/client.ts'
import { addProject, newKey } from '../../support/factories.ts'
import {
  type DocumentedOperation,
  operationsOf,
  readsByPost,
} from '../../support/openapi/document.ts'

type Keys = Readonly<Record<KeyKind, string>>

async function keysOf({ owner }: World): Promise<Keys> {
  const named = async (kind: KeyKind, fields: object) =>
    [kind, await newKey(owner, fields)] as const
  const at = (handle: string) => ({ projects: [`${owner.handle}/${handle}`] })
  const { handle: gone, path } = await addProject(owner, 'gone')
  const made = await Promise.all([
    named('write', { access: 'write' }),
    named('read', {}),
    named('write-in', { access: 'write', ...at(things.project) }),
    named('read-in', at(things.project)),
    named('write-out', { access: 'write', ...at('another') }),
    named('read-out', at('another')),
    named('write-gone', { access: 'write', ...at(gone) }),
  ])
  expect((await call('DELETE', path(), { key: owner.key })).status).toBe(200)
  const keys = Object.fromEntries(made)
  const of = (kind: KeyKind) => keys[kind] ?? ''
  return {
    write: of('write'),
    read: of('read'),
    'write-in': of('write-in'),
    'read-in': of('read-in'),
    'write-out': of('write-out'),
    'read-out': of('read-out'),
    'write-gone': of('write-gone'),
  }
}

let operations: DocumentedOperation[]
let worlds: Record<'private' | 'public', { world: World; keys: Keys; picture: unknown }>

async function newSetting(isPublic: boolean, known?: World) {
  const world = await newWorld(isPublic, known)
  const keys = await keysOf(world)
  return { world, keys, picture: await pictureOf(world) }
}

beforeAll(async () => {
  operations = operationsOf((await testApp()).document)
  worlds = { private: await newSetting(false), public: await newSetting(true) }
})

const isPublic = ({ scene }: KeyRow) => scene.startsWith('public')
const settingOf = (row: KeyRow) => (isPublic(row) ? worlds.public : worlds.private)

function operationOf({ operation }: KeyRow): DocumentedOperation {
  const found = operations.find(({ id }) => id === operation)
  if (found === undefined) throw new Error(`the document has no operation ${operation}`)
  return found
}

const changes = (row: KeyRow) =>
  operationOf(row).method !== 'GET' && !readsByPost.includes(row.operation)

const ask = (row: KeyRow, key: string, world: World) =>
  call(operationOf(row).method, urlOf(operationOf(row), row.scene, world, 'owner'), {
    key,
    body: bodyOf(row, world),
  })

/** Without when it was last used. */
const still = (picture: unknown) =>
  JSON.parse(
    JSON.stringify(picture, (name, value) => (name === 'last_used_at' ? undefined : value)),
  )

describe('what named keys may do', () => {
  it('is written down for every operation of the document, and no other', () => {
    const inTable = [...new Set(keyRows.map(({ operation }) => operation))]
    expect(inTable.sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  it.each(keyRows)('holds for $operation ($scene)', async (row) => {
    const { world, keys, picture } = settingOf(row)
    const statuses: Partial<Record<KeyKind, number>> = {}
    for (const kind of keyKinds) {
      const succeeds = row.expected[kind] < 300 && changes(row)
      const its = succeeds ? await newSetting(isPublic(row), world) : { world, keys }
      statuses[kind] = (await ask(row, its.keys[kind], its.world)).status
    }
    expect(statuses, row.why).toEqual(row.expected)
    if (!changes(row)) return
    expect(still(await pictureOf(world)), 'what is refused changes nothing').toEqual(still(picture))
  })

  it('does not tell, outside of its projects, what there is', async () => {
    const limited: readonly KeyKind[] = ['write-out', 'read-out', 'write-gone']
    const ids = operations.filter(({ template }) => template.includes('{project}'))
    for (const { id } of ids) {
      const kinds = ['private', 'missing', 'no-owner', 'no-owner+missing', 'no-handle']
      for (const kind of limited) {
        const answers = new Set<string>()
        for (const scene of kinds) {
          const { world, keys } = worlds.private
          const row = { ...(keyRows[0] ?? never()), operation: id, scene }
          const { status, body } = await ask(row, keys[kind], world)
          answers.add(JSON.stringify({ status, body }))
        }
        expect([...answers], `${id} ${kind}`).toHaveLength(1)
        expect([...answers][0]).toContain('"status":403')
      }
    }
  })
})

function never(): never {
  throw new Error('the table is empty')
}
