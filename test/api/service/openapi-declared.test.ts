import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { rows } from '../../support/authorization/table.ts'
import {
  answersOf,
  type DocumentedOperation,
  operationsOf,
  parametersOf,
} from '../../support/openapi/document.ts'
import {
  createValidator,
  innerOf,
  member,
  placeOf,
} from '../../support/openapi/document-schemas.ts'

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

const { accepts } = createValidator(document)

const json = '/content/application~1json/schema'
const answersAt = (operation: DocumentedOperation) =>
  answersOf(operation)
    .filter(([status]) => status.startsWith('2'))
    .map(([status]) => `${placeOf(operation)}/responses/${status}${json}`)

describe('the document allows null', () => {
  const hints = ['document_input_type', 'document_prefix', 'query_input_type', 'query_prefix']
  const definition = ['description', ...hints]
  const instance = ['api_key_encrypted', 'description', ...hints].sort()
  const changes = ['description', 'metadataScheme', 'public_read', 'reading_order']
  const texts = ['text_queries', 'text_query_budget']
  const project = [...changes, 'shared_with', ...texts]
  /** The optional fields, which null clears. */
  const clearable: Readonly<Record<string, string[]>> = {
    createUser: ['email', 'name'],
    putUser: ['email', 'name'],
    patchUser: ['email', 'name'],
    createNamedKey: ['description', 'expires_at'],
    patchNamedKey: ['description', 'expires_at'],
    createApiStandard: ['request_format'],
    putApiStandard: ['request_format'],
    patchApiStandard: ['request_format'],
    createDefinition: definition,
    putDefinition: definition,
    patchDefinition: definition,
    putInstance: instance,
    patchInstance: instance,
    createProject: project,
    putProject: project,
    patchProject: [...changes, ...texts],
    uploadEmbeddings: ['metadata', 'text'],
    // In place of a search, to which an error is the answer.
    searchBatch: ['searches'],
  }
  const nullable = (at: string) =>
    innerOf(document, at)
      .filter((inner) => accepts(inner.at, null))
      .map(({ name }) => name)
      .sort()

  it('for the optional fields of a request, and for no others', () => {
    const found = operations.flatMap((operation) => {
      const names = nullable(`${placeOf(operation)}/requestBody${json}`)
      return names.length > 0 ? [[operation.id, names]] : []
    })
    expect(Object.fromEntries(found)).toEqual(clearable)
  })

  it('in no parameter and in no answer', () => {
    for (const operation of operations) {
      const at = placeOf(operation)
      const parameters = parametersOf(operation).filter((_, index) =>
        accepts(`${at}/parameters/${index}/schema`, null),
      )
      expect(parameters, operation.id).toEqual([])
      // The value that results are grouped by, which documents may lack.
      const others = answersAt(operation).flatMap(nullable)
      expect(
        others.filter((name) => name !== 'group'),
        operation.id,
      ).toEqual([])
    }
  })
})

it('the document shows keys only where a user gets his own', () => {
  const showing = (secret: string) =>
    operations
      .filter((operation) =>
        answersAt(operation)
          .flatMap((at) => innerOf(document, at))
          .some(({ name }) => name === secret),
      )
      .map(({ id }) => id)
  expect(showing('api_key')).toEqual([
    ...['createUser', 'putUser', 'rotateUserKey', 'createNamedKey', 'rotateNamedKey'],
  ])
  expect(showing('api_key_encrypted')).toEqual([])
})

it('the document describes what needs more than 300 characters as a list', () => {
  const described = [...JSON.stringify(document).matchAll(/"description":("(?:[^"\\]|\\.)*")/g)]
  const texts = described.map(([, text = '']): string => JSON.parse(text))
  expect(texts.length).toBeGreaterThan(400)
  expect(texts.filter((text) => text.length > 300 && !text.includes('\n- '))).toEqual([])
})

describe('the document declares the headers', () => {
  const shared = document.components?.responses?.['Error']
  const having = (name: string, status: RegExp) =>
    operations.flatMap((operation) =>
      answersOf(operation)
        .filter(([each]) => status.test(each))
        .map(([each, answer]) => ({
          id: `${operation.id} ${each}`,
          declared: member(member(each === 'default' ? shared : answer, 'headers'), name),
        })),
    )

  it('Location of what creates one thing', () => {
    const declared = { $ref: '#/components/headers/Location' }
    const found = having('Location', /^201$/)
    expect(found.length).toBe(13)
    for (const each of found) {
      expect(each.declared, each.id).toEqual(
        each.id === 'uploadEmbeddings 201' ? undefined : declared,
      )
    }
    expect(having('Location', /^(?!201)/).filter(({ declared }) => declared !== undefined)).toEqual(
      [],
    )
  })

  it('X-Request-Id of every answer, and Retry-After of those that say when to come again', () => {
    for (const { id, declared } of having('X-Request-Id', /./)) {
      expect(declared, id).toEqual({ $ref: '#/components/headers/RequestId' })
    }
    const waits = having('Retry-After', /./).filter(({ declared }) => declared !== undefined)
    const refusals = having('Retry-After', /^(503|default)$/)
    // What is being computed says when to ask again, too.
    expect(waits.map(({ id }) => id).sort()).toEqual(
      [...refusals.map(({ id }) => id), 'getProjectMap 202'].sort(),
    )
  })
})
