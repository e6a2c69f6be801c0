import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { testApp } from '../../support/app.ts'
import {
  answersOf,
  type DocumentedOperation,
  namesIn,
  operationsOf,
  parametersOf,
} from '../../support/openapi/document.ts'
import {
  createValidator,
  examplesIn,
  lookUp,
  member,
  placesIn,
} from '../../support/openapi/document-schemas.ts'
import { specifiedOperations } from '../../support/openapi/specified-operations.ts'

const { app, document } = await testApp()
const operations = operationsOf(document)
const { problems, schemaProblems } = createValidator(document)

const idsOf = (found: readonly DocumentedOperation[]) => found.map(({ id }) => id).sort()
const those = (wanted: (operation: DocumentedOperation) => boolean) =>
  idsOf(operations.filter(wanted))
const withBody = operations.filter(({ declared }) => declared.requestBody !== undefined)

describe('the OpenAPI document', () => {
  it('is served as JSON and as YAML', async () => {
    const json = await app.request('/openapi.json')
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await json.json()).toEqual(JSON.parse(JSON.stringify(document)))
    const yaml = await app.request('/openapi.yaml')
    expect(yaml.headers.get('content-type')).toMatch(/^application\/(openapi\+)?yaml/)
    expect(parse(await yaml.text())).toEqual(await (await app.request('/openapi.json')).json())
  })

  it('has every operation of the specification', () => {
    const documented = operations.map(({ method, template }) => `${method} ${template}`)
    expect(specifiedOperations).toHaveLength(39)
    expect(documented).toEqual(expect.arrayContaining(specifiedOperations))
  })

  it('has every route below /v1', () => {
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && /^\/v1\/./.test(path))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const documented = operations.map(({ method, template }) => `${method} ${template}`)
    expect(documented).toEqual(expect.arrayContaining(routes))
  })

  it('has no reference to nothing', () => {
    const references = [...placesIn(document)].flatMap(({ value }) => member(value, '$ref') ?? [])
    expect(references.length).toBeGreaterThan(100)
    const dangling = references.filter(
      (reference) => lookUp(document, String(reference).replace(/^#/, '')) === undefined,
    )
    expect(dangling).toEqual([])
  })

  it('has only schemas that are JSON Schemas', () => {
    const schemas = [...placesIn(document)].filter(({ at }) =>
      /\/schema$|^\/components\/schemas\/[^/]+$/.test(at),
    )
    expect(schemas.length).toBeGreaterThan(100)
    for (const { at, value } of schemas) expect(schemaProblems(Object(value)), at).toEqual([])
  })

  it('has no default, which clients would send although nobody has asked for it', () => {
    const having = [...placesIn(document)].filter(
      ({ value }) => member(value, 'default') !== undefined,
    )
    expect(having.map(({ at }) => at)).toEqual([])
  })

  it('says what its arrays hold and which license it is: generators drop an answer, or stop, without', () => {
    const bare = [...placesIn(document)].filter(
      ({ value }) =>
        [member(value, 'type')].flat().includes('array') && member(value, 'items') === undefined,
    )
    expect(bare.map(({ at }) => at)).toEqual([])
    expect(document.info.license).toMatchObject({ identifier: 'MIT' })
  })

  it('extends no schema by nothing: openapi-typescript makes of that what nobody can send', () => {
    const parts = [...placesIn(document)].flatMap(({ at, value }) =>
      [member(value, 'allOf') ?? []].flat().map((part) => ({ at, part })),
    )
    expect(parts.length).toBeGreaterThan(5)
    const empty = parts.filter(({ part }) => JSON.stringify(member(part, 'properties')) === '{}')
    expect(empty.map(({ at }) => at)).toEqual([])
  })

  it('has only examples that match their schemas', () => {
    const examples = examplesIn(document)
    expect(examples.length).toBeGreaterThan(100)
    for (const { at, value, schemaAt } of examples) {
      expect(problems(schemaAt, value), `${at}: ${JSON.stringify(value)}`).toEqual([])
    }
  })
})

describe('every operation', () => {
  it('has a summary, a description, an identifier of its own and one declared tag', () => {
    const tags = (document.tags ?? []).map(({ name }) => name)
    expect(those(({ declared }) => (declared.summary ?? '') === '')).toEqual([])
    expect(those(({ declared }) => (declared.description ?? '').length < 10)).toEqual([])
    expect(new Set(operations.map(({ declared }) => declared.operationId)).size).toBe(
      operations.length,
    )
    const used = operations.map(({ declared }) => declared.tags)
    expect(used.filter((each) => each?.length !== 1)).toEqual([])
    expect([...new Set(used.flat())].sort()).toEqual(tags.sort())
  })

  it('has an answer of success, with an example where it is JSON', () => {
    const successes = (operation: DocumentedOperation) =>
      answersOf(operation).filter(([status]) => /^2\d\d$/.test(status))
    expect(those((operation) => successes(operation).length === 0)).toEqual([])
    const bare = those((operation) =>
      successes(operation).some(([, answer]) => {
        const json = member(member(answer, 'content'), 'application/json')
        return json !== undefined && member(json, 'example') === undefined
      }),
    )
    expect(bare).toEqual([])
  })

  it('answers errors with the one error body', () => {
    const schema = { $ref: '#/components/schemas/Problem' }
    const problem = { 'application/problem+json': { schema } }
    for (const operation of operations) {
      const errors = answersOf(operation).filter(([status]) => /^[45]/.test(status))
      for (const [status, answer] of errors) {
        const at = `${operation.id} ${status}`
        expect(Object.keys(Object(member(answer, 'content'))), at).toEqual([
          'application/problem+json',
        ])
        expect(member(answer, 'content'), at).toMatchObject(problem)
        expect(member(answer, 'description'), at).toMatch(/./)
      }
    }
  })

  it('declares the parameters of its path, and no parameter twice', () => {
    for (const operation of operations) {
      const parameters = parametersOf(operation)
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => name).sort(), operation.id).toEqual(
        namesIn(operation.template).sort(),
      )
      expect(
        inPath.every(({ required }) => required === true),
        operation.id,
      ).toBe(true)
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(keys).size, operation.id).toBe(keys.length)
    }
  })

  it('spells the parameters of its path like every other, and describes them', () => {
    const inPath = operations.flatMap(parametersOf).filter((parameter) => parameter.in === 'path')
    expect([...new Set(inPath.map(({ name }) => name))].sort()).toEqual([
      ...[
        ...['definition', 'grantee', 'instance', 'key_handle', 'project', 'standard', 'text_id'],
        'user',
      ],
    ])
    expect(inPath.filter(({ description = '' }) => description.length < 10)).toEqual([])
  })
})

it('an operation with a body requires it and shows an example', () => {
  expect(withBody.length).toBeGreaterThan(15)
  for (const { id, declared } of withBody) {
    const content =
      id === 'importProject'
        ? { 'application/vnd.semblance+ndjson': { example: expect.any(String) } }
        : { 'application/json': { example: expect.any(Object) } }
    expect(declared.requestBody, id).toMatchObject({ required: true, content })
  }
})
