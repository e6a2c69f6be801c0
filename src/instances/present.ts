import type { Instance } from '../access/instance.ts'
import { presentInputHints } from '../definitions/definitions.ts'

/** An instance as the API shows it. It never contains the provider's key in any form. */
export const presentInstance = (instance: Instance) => ({
  instance_id: instance.instanceId,
  instance_handle: instance.handle,
  owner: instance.owner,
  endpoint: instance.endpoint,
  ...(instance.description !== null && { description: instance.description }),
  api_standard: instance.apiStandard,
  model: instance.model,
  dimensions: instance.dimensions,
  ...presentInputHints(instance),
  ...(instance.definitionId !== null && { definition_id: instance.definitionId }),
  has_api_key: instance.keySealed !== null,
})
