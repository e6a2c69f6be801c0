import type { apiStandards, instances } from '../db/schema.ts'

type Standard = typeof apiStandards.$inferSelect
type Instance = typeof instances.$inferSelect

/** An embedding endpoint, and how it is asked. */
export interface Provider
  extends Readonly<
    Pick<Instance, 'instanceId' | 'endpoint' | 'model' | 'dimensions'> &
      Pick<Instance, 'queryInputType' | 'documentInputType' | 'queryPrefix' | 'documentPrefix'> &
      Pick<Standard, 'keyMethod' | 'keyField'>
  > {
  readonly requestFormat: NonNullable<Standard['requestFormat']>
  /** The key in plain text; undefined without one. */
  readonly key: string | undefined
}

/** Some models embed what is searched for otherwise than what is stored. */
export type Purpose = 'query' | 'document'
