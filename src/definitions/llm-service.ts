import type { definitions } from '../db/schema.ts'

/** An embedding endpoint and the vectors it returns: what definitions and instances share. */
export type LlmService = Readonly<
  Pick<
    typeof definitions.$inferSelect,
    | 'endpoint'
    | 'description'
    | 'apiStandard'
    | 'model'
    | 'dimensions'
    | 'queryInputType'
    | 'documentInputType'
    | 'queryPrefix'
    | 'documentPrefix'
  >
>

/** Undefined fields do not change. */
export type LlmServiceChanges = {
  readonly [Field in keyof LlmService]?: LlmService[Field] | undefined
}

export const withChanges = <Service extends LlmService>(
  service: Service,
  changes: LlmServiceChanges,
): Service => ({
  ...service,
  ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
})

/** Empty fields are left out. */
export const presentLlmService = (service: LlmService) => ({
  endpoint: service.endpoint,
  ...(service.description !== null && { description: service.description }),
  api_standard: service.apiStandard,
  model: service.model,
  dimensions: service.dimensions,
  ...(service.queryInputType !== null && { query_input_type: service.queryInputType }),
  ...(service.documentInputType !== null && { document_input_type: service.documentInputType }),
  ...(service.queryPrefix !== null && { query_prefix: service.queryPrefix }),
  ...(service.documentPrefix !== null && { document_prefix: service.documentPrefix }),
})
