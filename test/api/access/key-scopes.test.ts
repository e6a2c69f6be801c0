import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { userKeys } from '../../../src/db/key-schema.ts'
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
import { keysOf as pathOfKeys } from '../../support/data/named-keys.ts'
import { addProject, newKey, unique } from '../../support/factories.ts'
import {
  changesData,
  type DocumentedOperation,
  operationNamed,
  operationsOf,
} from '../../support/openapi/document.ts'

/** Also a key that an editor has for the project: it is good for what the owner's `write-in` is. */
const kinds = [...keyKinds, 'lent'] as const
type Keys = ReadonlyMap<(typeof kinds)[number], string>

async function keysOf({ owner, editor }: World): Promise<Keys> {
  const at = (handle: string) => ({ projects: [`${owner.handle}/${handle}`] })
  const gone = await addProject(owner, 'gone')
  const places = { in: at(things.project), out: at('another'), gone: at(gone.handle) }
  const keys = new Map<(typeof kinds)[number], string>()
  for (const kind of keyKinds) {
    const place = /in$|out$|gone$/.exec(kind)?.[0]
    const limits = Object.entries(places).find(([name]) => name === place)?.[1]
    keys.set(kind, await newKey(owner, { access: kind.replace(/-.*/, ''), ...limits }))
  }
  keys.set('lent', await newKey(editor, { access: 'write', ...places.in }))
  expect((await call('DELETE', gone.path(), { key: owner.key })).status).toBe(200)
  return keys
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

const operationOf = ({ operation }: KeyRow) => operationNamed(operations, operation)

const changes = (row: KeyRow) => changesData(operationOf(row))

const ask = (row: KeyRow, key: string | undefined, world: World) =>
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
    const expected = new Map([...row.expected, ['lent', row.expected.get('write-in') ?? 0]])
    const statuses = new Map<string, number>()
    for (const kind of kinds) {
      const succeeds = (expected.get(kind) ?? 0) < 300 && changes(row)
      const its = succeeds ? await newSetting(isPublic(row), world) : { world, keys }
      statuses.set(kind, (await ask(row, its.keys.get(kind), its.world)).status)
    }
    expect(statuses, row.why).toEqual(expected)
    if (!changes(row)) return
    expect(still(await pictureOf(world)), 'what is refused changes nothing').toEqual(still(picture))
  })

  it.each(['expired', 'revoked'])('is nothing when they are %s', async (how) => {
    const { world, picture } = worlds.private
    const key_handle = unique('ended')
    const key = await newKey(world.owner, { key_handle, access: 'write' })
    if (how === 'revoked') {
      await call('DELETE', pathOfKeys(world.owner, key_handle), { key: world.owner.key })
    } else {
      // A key can be issued with an end ahead alone.
      const { db } = (await testApp()).database.short
      const expiresAt = new Date(Date.now() - 1_000)
      await db.update(userKeys).set({ expiresAt }).where(eq(userKeys.handle, key_handle))
    }
    for (const row of keyRows.filter((each) => !isPublic(each))) {
      const { status, body } = await ask(row, key, world)
      // As a key that nobody has, which the table of permissions is about.
      expect(await ask(row, 'smb_nobodys', world), row.operation).toMatchObject({ status, body })
    }
    if (how === 'expired') await call('DELETE', pathOfKeys(world.owner, key_handle), world.owner)
    expect(still(await pictureOf(world))).toEqual(still(picture))
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
          const { status, body } = await ask(row, keys.get(kind), world)
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
