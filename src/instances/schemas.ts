import { z } from '@hono/zod-openapi'
import {
  exampleLlmService,
  llmServiceFields,
  shownLlmServiceFields,
} from '../definitions/schemas.ts'
import { Handle, NewHandle, text, UserHandle } from '../http/schemas.ts'

const InstanceInput = z.object({
  ...z.object(llmServiceFields).partial().shape,
  instance_handle: NewHandle.optional(),
  api_key_encrypted: text(10_000)
    .nullish()
    .describe("The provider's API key. Stored encrypted, never returned."),
})
export const PutInstance = InstanceInput.extend({
  definition_owner: text(100).optional(),
  definition_handle: text(100).optional(),
}).openapi('InstanceInput')

export const InstanceSchema = z
  .object({
    instance_id: z.int(),
    instance_handle: z.string(),
    owner: UserHandle,
    ...shownLlmServiceFields,
    definition_id: z
      .int()
      .optional()
      .describe('Present if the instance was created from a definition.'),
    has_api_key: z.boolean().describe('Whether a provider key is stored.'),
  })
  .openapi('Instance')

export const PatchInstance = InstanceInput.extend({ instance_handle: Handle.optional() })

export const exampleInstance = {
  instance_id: 1,
  instance_handle: 'my-model',
  owner: 'alice',
  ...exampleLlmService,
  has_api_key: true,
}
export const exampleInput = { ...exampleLlmService, api_key_encrypted: 'the-providers-key' }
