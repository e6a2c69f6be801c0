import type { apiStandards, instances } from '../db/schema.ts'

type Standard = typeof apiStandards.$inferSelect
type Instance = typeof instances.$inferSelect

/** An embedding endpoint, and how requests to it are made. */
export interface Provider
  extends Readonly<
    Pick<Instance, 'instanceId' | 'endpoint' | 'model' | 'dimensions'> &
      Pick<Instance, 'queryInputType' | 'documentInputType' | 'queryPrefix' | 'documentPrefix'> &
      Pick<Standard, 'keyMethod' | 'keyField'>
  > {
  readonly requestFormat: NonNullable<Standard['requestFormat']>
  /** The decrypted key; undefined without one. */
  readonly key: string | undefined
}

/** Some models embed queries differently from documents. */
export type Purpose = 'query' | 'document'
