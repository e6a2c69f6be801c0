import { z } from '@hono/zod-openapi'
import { Description, Handle, text, UserHandle } from '../http/schemas.ts'

/** The largest dimension that pgvector stores. */
export const maxDimensions = 16_000

const isHttpUrl = (value: string) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

/** The fields that a definition and an instance have in common. */
export const llmServiceFields = {
  endpoint: text(2_000)
    .refine(isHttpUrl, 'must be an http or https URL')
    .openapi({ description: 'URL of the embedding endpoint.' }),
  description: Description.nullish(),
  api_standard: Handle.openapi({ description: 'Handle of an API standard.' }),
  model: text(255).min(1, 'must not be empty').openapi({ description: 'Model name.' }),
  dimensions: z
    .int()
    .min(1, `must be between 1 and ${maxDimensions}`)
    .max(maxDimensions, `must be between 1 and ${maxDimensions}`)
    .openapi({ description: 'Length of the vectors that the model makes.' }),
}

const Fields = z.object(llmServiceFields)
type Fields = z.output<typeof Fields>

/** A whole service in the terms of the tables. */
export function llmServiceOf({ api_standard, description = null, ...fields }: Fields) {
  const { endpoint, model, dimensions } = fields
  return { endpoint, description, apiStandard: api_standard, model, dimensions }
}

/** The given fields in the terms of the tables; undefined ones do not change. */
export function changesOf(fields: { [Field in keyof Fields]?: Fields[Field] | undefined }) {
  const { endpoint, description, api_standard, model, dimensions } = fields
  return { endpoint, description, apiStandard: api_standard, model, dimensions }
}

export const Definition = z
  .object({
    definition_id: z.int(),
    definition_handle: z.string(),
    owner: UserHandle.openapi({ description: "'_system' for the global definitions." }),
    ...llmServiceFields,
    description: Description.optional(),
  })
  .openapi('Definition')

export const exampleLlmService = {
  endpoint: 'https://provider-a.example/v1/embeddings',
  api_standard: 'provider-a',
  model: 'small',
  dimensions: 3,
}

export const exampleDefinition = {
  definition_id: 5,
  definition_handle: 'my-model',
  owner: 'alice',
  ...exampleLlmService,
}
