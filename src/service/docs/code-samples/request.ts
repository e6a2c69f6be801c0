import type { OpenAPIHono } from '@hono/zod-openapi'
import type { SampleRequest } from './samples.ts'

type Paths = NonNullable<ReturnType<OpenAPIHono['getOpenAPI31Document']>['paths']>
type Operation = NonNullable<Paths[string]['get']>
type Answer = NonNullable<Operation['responses']>[string]

const sentFiles: Readonly<Record<string, string>> = { importProject: 'verses.semblance' }
const savedFiles: Readonly<Record<string, string>> = {
  exportProject: 'verses.ndjson',
  backUpDatabase: 'semblance.tar',
}

/** Builds the request from an operation's own examples. */
export function sampleRequest(
  method: string,
  template: string,
  operation: Operation,
): SampleRequest {
  const { operationId = '', security = [], requestBody, responses = {} } = operation
  const sends = sentFiles[operationId]
  const content = requestBody !== undefined && 'content' in requestBody ? requestBody.content : {}
  const [mediaType, media] = Object.entries(content)[0] ?? []
  return {
    method: method.toUpperCase(),
    path: pathOf(template, operation),
    takesKey: security.length > 0,
    mediaType,
    body: sends === undefined ? media?.example : undefined,
    sends,
    saves: savedFiles[operationId],
    answersJson: isJson(responses['200']) || isJson(responses['201']),
  }
}

function pathOf(template: string, { parameters = [] }: Operation): string {
  const given = parameters.flatMap((each) => ('name' in each ? [each] : []))
  const path = given.reduce(
    (filled, { name, example }) => filled.replace(`{${name}}`, encodeURIComponent(example)),
    template,
  )
  const query = given
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example)}`)
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

const isJson = (answer: Answer | undefined) =>
  Object.keys(answer?.content ?? {}).some((type) => /^application\/(schema\+)?json$/.test(type))
