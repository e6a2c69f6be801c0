import type { OpenAPIHono } from '@hono/zod-openapi'

type Paths = NonNullable<ReturnType<OpenAPIHono['getOpenAPI31Document']>['paths']>
type Operation = NonNullable<Paths[string]['get']>
type Answer = NonNullable<Operation['responses']>[string]

/** What a sample sends, and what it does with the answer. */
export interface SampleRequest {
  /** In capitals. */
  readonly method: string
  /** With its parameters filled in, and a query where one is required. */
  readonly path: string
  readonly takesKey: boolean
  /** Of what is sent, if anything is. */
  readonly mediaType: string | undefined
  readonly body: unknown
  /** The file that is sent instead of a body. */
  readonly sends: string | undefined
  /** The file that the answer becomes. */
  readonly saves: string | undefined
  readonly answersJson: boolean
}

const sentFiles: Readonly<Record<string, string>> = { importProject: 'verses.semblance' }
const savedFiles: Readonly<Record<string, string>> = {
  exportProject: 'verses.ndjson',
  backUpDatabase: 'semblance.tar',
}

/** The request that an operation's own examples make. */
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
