import { z } from '@hono/zod-openapi'
import { noEndpoint } from '../db/endpoints.ts'
import { Description, Handle, NewHandle, text, UserHandle } from '../http/schemas.ts'

/** The largest dimension that pgvector stores. */
export const maxDimensions = 16_000

const isEndpoint = (value: string) =>
  value === noEndpoint || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))

/** Credentials would not be sent, and other users can see the endpoint. */
const hasCredentials = (value: string) =>
  URL.canParse(value) && new URL(value).username + new URL(value).password !== ''

const inputType = (what: string, example: string) =>
  text(100).describe(
    `Tells the provider that a text is ${what}, for example ${example}. Default: what the request_format of the API standard uses.`,
  )
const prefix = (what: string, example: string) =>
  text(1_000).describe(`Put before ${what} that are embedded, for example '${example}'.`)

/** How a model is told whether a text is a query or a stored text. */
const inputHints = {
  query_input_type: inputType('a query', 'search_query'),
  document_input_type: inputType('a stored text', 'search_document'),
  query_prefix: prefix('queries', 'query: '),
  document_prefix: prefix('stored texts', 'passage: '),
}

/** The fields that definitions and instances share. */
export const llmServiceFields = {
  endpoint: text(2_000)
    .refine(isEndpoint, `must be an http or https URL, or '${noEndpoint}'`)
    .refine(
      (value) => !hasCredentials(value),
      'must not hold a user name or a password, which would not be sent; a key belongs in api_key_encrypted of the instance',
    )
    .describe(
      `URL of the embedding endpoint; '${noEndpoint}' if vectors are uploaded and no provider is asked.`,
    ),
  description: Description.nullish(),
  api_standard: Handle.describe('Handle of an API standard.'),
  model: text(255).min(1, 'must not be empty').describe('Model name.'),
  dimensions: z
    .int()
    .min(1, `must be between 1 and ${maxDimensions}`)
    .max(maxDimensions, `must be between 1 and ${maxDimensions}`)
    .describe("The number of dimensions of the model's vectors."),
  query_input_type: inputHints.query_input_type.nullish(),
  document_input_type: inputHints.document_input_type.nullish(),
  query_prefix: inputHints.query_prefix.nullish(),
  document_prefix: inputHints.document_prefix.nullish(),
}

/** The same fields in answers, where empty ones are left out. */
export const shownLlmServiceFields = {
  ...llmServiceFields,
  ...z.object({ description: Description, ...inputHints }).partial().shape,
}

const Fields = z.object(llmServiceFields)
type Fields = z.output<typeof Fields>

export const NewDefinition = Fields.extend({ definition_handle: NewHandle })
export const PutDefinition = Fields.extend({ definition_handle: NewHandle.optional() })

/** Maps fields to columns; undefined ones do not change. */
export const changesOf = (fields: { [Field in keyof Fields]?: Fields[Field] | undefined }) => ({
  endpoint: fields.endpoint,
  description: fields.description,
  apiStandard: fields.api_standard,
  model: fields.model,
  dimensions: fields.dimensions,
  queryInputType: fields.query_input_type,
  documentInputType: fields.document_input_type,
  queryPrefix: fields.query_prefix,
  documentPrefix: fields.document_prefix,
})

/** Maps a complete service to columns; fields that are left out are empty. */
export const llmServiceOf = (fields: Fields) => ({
  endpoint: fields.endpoint,
  description: fields.description ?? null,
  apiStandard: fields.api_standard,
  model: fields.model,
  dimensions: fields.dimensions,
  queryInputType: fields.query_input_type ?? null,
  documentInputType: fields.document_input_type ?? null,
  queryPrefix: fields.query_prefix ?? null,
  documentPrefix: fields.document_prefix ?? null,
})

export const Definition = z
  .object({
    definition_id: z.int(),
    definition_handle: z.string(),
    owner: UserHandle.describe("'_system' for the global definitions."),
    ...shownLlmServiceFields,
  })
  .openapi('Definition')

export const exampleLlmService = {
  endpoint: 'https://provider-a.example/v1/embeddings',
  api_standard: 'provider-a',
  model: 'small',
  dimensions: 3,
}

export const exampleNewDefinition = { definition_handle: 'my-model', ...exampleLlmService }
export const exampleDefinition = {
  definition_id: 5,
  definition_handle: 'my-model',
  owner: 'alice',
  ...exampleLlmService,
}
