import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
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

describe('the document shows keys', () => {
  it('only where a user gets his own', () => {
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
})

describe('the document describes', () => {
  it('what needs more than 300 characters as a list', () => {
    const described = [...JSON.stringify(document).matchAll(/"description":("(?:[^"\\]|\\.)*")/g)]
    const texts = described.map(([, text = '']): string => JSON.parse(text))
    expect(texts.length).toBeGreaterThan(400)
    expect(texts.filter((text) => text.length > 300 && !text.includes('\n- '))).toEqual([])
  })
})

describe('the document declares the headers', () => {
  const shared = document.components?.responses?.['Error']
  const having = (name: string, status: RegExp) =>
    operationsOf(document).flatMap((operation) =>
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
