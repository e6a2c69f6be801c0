import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { TrieRouter } from 'hono/router/trie-router'
import { expect } from 'vitest'
import type { OpenApiDocument } from '../../../src/service/docs/document.ts'

export interface Exchange {
  readonly method: string
  readonly url: URL
  readonly body: unknown
  readonly status: number
  readonly contentType: string
  readonly answer: unknown
}

interface Operation {
  readonly template: string
  readonly method: string
  readonly takesJson: boolean
}

const pointer = (...keys: string[]) =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** What every operation may answer, by the one declaration that all share. */
const shared = [400, 401, 408, 413, 429, 500, 503]

/** By the text of their documents: nearly all services of a run have the same, whose schemas take a while to compile. */
const contracts = new Map<string, ReturnType<typeof createContract>>()

/**
 * Holds exchanges against the emitted OpenAPI document: the answer must be declared and match its
 * schema, and a request that was accepted must match the declared one.
 */
export function contractOf(document: OpenApiDocument) {
  const text = JSON.stringify(document)
  const contract = contracts.get(text) ?? createContract(document)
  contracts.set(text, contract)
  return contract
}

function createContract(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
  ajv.addSchema(document, 'document')
  const router = new TrieRouter<Operation>()
  for (const [template, item] of Object.entries(document.paths ?? {})) {
    for (const [method, declared] of Object.entries(item)) {
      const path = template.replaceAll(/\{([^}]+)\}/g, ':$1')
      const takesJson = JSON.stringify(declared.requestBody ?? {}).includes('"application/json"')
      router.add(method.toUpperCase(), path, { template, method, takesJson })
    }
  }
  const validators = new Map<string, ValidateFunction>()
  function validate(at: string, value: unknown, what: string): void {
    const validator = validators.get(at) ?? ajv.compile({ $ref: `document#${encodeURI(at)}` })
    validators.set(at, validator)
    if (!validator(value)) expect(validator.errors, what).toEqual([])
  }

  function operationOf({ method, url }: Exchange): Operation | undefined {
    return router.match(method, url.pathname)[0][0]?.[0]
  }

  return {
    check(exchange: Exchange): void {
      const { status, contentType, answer, body } = exchange
      const operation = operationOf(exchange)
      if (operation === undefined) {
        // Nothing is declared for what does not exist, but it has the error body all the same.
        validate('/components/schemas/Problem', answer, 'error body')
        return
      }
      const { template, method, takesJson } = operation
      const what = `${method} ${template} → ${status}`
      const declared = document.paths?.[template]?.[method as 'get']
      const [mediaType = ''] = contentType.split(';')
      const statuses = Object.keys(declared?.responses ?? {})
      expect(statuses, what).toContain('default')
      const isShared = !statuses.includes(String(status)) && shared.includes(status)
      if (!isShared) expect(statuses, what).toContain(String(status))
      const answers = isShared
        ? pointer('components', 'responses', 'Error')
        : pointer('paths', template, method, 'responses', String(status))
      const at = answers + pointer('content', mediaType)
      validate(`${at}/schema`, answer, what)
      if (status >= 400) {
        expect(mediaType, what).toBe('application/problem+json')
        expect(Object.keys(Object(answer)).sort(), what).toEqual(['detail', 'status', 'title'])
        expect(answer, what).toMatchObject({ status })
        return
      }
      // A file is no JSON value.
      if (takesJson) {
        const requested = pointer('paths', template, method, 'requestBody', 'content')
        validate(`${requested}/application~1json/schema`, body, `${what}: request`)
      }
    },
  }
}
