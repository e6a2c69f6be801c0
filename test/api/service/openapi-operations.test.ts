import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { rows } from '../../support/authorization/table.ts'
import {
  answersOf,
  type DocumentedOperation,
  operationsOf,
  parametersOf,
} from '../../support/openapi/document.ts'

const { document } = await testApp()
const operations = operationsOf(document)

const sorted = (ids: readonly string[]) => [...ids].sort()
const those = (wanted: (operation: DocumentedOperation) => boolean) =>
  sorted(operations.filter(wanted).map(({ id }) => id))
const declaring = (status: number) =>
  those((operation) => answersOf(operation).some(([declared]) => declared === String(status)))

const readsOfProjects = operations
  .filter(
    ({ template, declared }) => /\{project\}/.test(template) && declared.security?.length === 2,
  )
  .map(({ id }) => id)
const searches = ['searchByTextId', 'searchByTextIdParameter', 'searchByVector']

describe('the document says who needs a key', () => {
  /** What an operation must declare, by the table of permissions. */
  function securityOf(operation: string) {
    const asked = rows.filter((row) => row.operation === operation)
    const isOpen = (caller: 'nobody' | 'unknown') =>
      asked.some(({ expected }) => expected[caller] !== undefined && expected[caller] !== 401)
    if (isOpen('unknown')) return []
    return isOpen('nobody') ? [{ bearer: [] }, {}] : [{ bearer: [] }]
  }

  it.each(operations)('in the security of $id', ({ id, declared }) => {
    expect(declared.security).toEqual(securityOf(id))
  })

  it('which is sent as a bearer token', () => {
    expect(document.components?.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
    })
  })
})

it('has the errors that any operation may have in one answer of all', () => {
  for (const { id, declared } of operations) {
    expect(declared.responses?.['default'], id).toEqual({ $ref: '#/components/responses/Error' })
  }
  const { description } = document.components?.responses?.['Error'] ?? {}
  for (const status of [400, 401, 408, 413, 429, 500, 503]) {
    expect(description).toContain(`${status}: `)
  }
  for (const status of [401, 408, 413, 429, 500]) expect(declaring(status)).toEqual([])
})

describe('the document has the parameters of the specification', () => {
  const lists = ['listProjects', 'listVisibleProjects', 'getCaller', 'listEmbeddings']
  const size = { type: 'integer', minimum: 1, maximum: 200 }
  const pattern = expect.stringContaining('{0,99}$')

  it.each([
    ['limit', [...lists, ...searches], false, size],
    ['count', searches, false, size],
    ['offset', [...lists, ...searches], false, { type: 'integer', minimum: 0 }],
    ['threshold', searches, false, { type: 'number', minimum: 0, maximum: 1 }],
    ['metadata_path', searches, false, { type: 'string' }],
    ['metadata_value', searches, false, { type: 'string' }],
    ['text_id', ['searchByTextIdParameter'], false, { minLength: 1, maxLength: 300 }],
    ['text_id', ['listEmbeddings', 'deleteAllEmbeddings'], false, { maxLength: 300 }],
    ['text_id', ['getEmbedding', 'deleteEmbedding'], true, { maxLength: 300 }],
    ['project', readsOfProjects, true, { type: 'string', pattern }],
  ])('%s of %j', (name, ids, required, schema) => {
    for (const id of ids) {
      const operation = operations.find((each) => each.id === id)
      const found = operation && parametersOf(operation).find((each) => each.name === name)
      expect(found, id).toMatchObject({ required, schema })
    }
  })

  it('and no others of these names', () => {
    const having = (name: string) =>
      those((operation) => parametersOf(operation).some((parameter) => parameter.name === name))
    expect(having('limit')).toEqual(sorted([...lists, ...searches]))
    expect(having('offset')).toEqual(sorted([...lists, ...searches]))
    expect(having('count')).toEqual(sorted(searches))
    expect(having('threshold')).toEqual(sorted(searches))
  })
})
