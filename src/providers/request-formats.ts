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

/** The content of one request. */
export interface ProviderRequest {
  readonly provider: Provider
  readonly purpose: Purpose
  /** Including their prefixes. */
  readonly texts: readonly string[]
  /** Whether to request a number of dimensions. Models with fixed dimensions reject this. */
  readonly saysDimensions: boolean
}

/** How to send texts to a provider and read its vectors. */
interface RequestFormat {
  /** Texts per request. */
  readonly maxTexts: (endpoint: string) => number
  readonly bodyOf: (question: ProviderRequest) => object
  /**
   * @returns the vectors in the order of the texts, unchecked; undefined if the answer has another
   * form
   */
  readonly vectorsIn: (answer: unknown) => readonly unknown[] | undefined
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const inputTypeOf = ({ provider, purpose }: ProviderRequest) =>
  (purpose === 'query' ? provider.queryInputType : provider.documentInputType) ?? undefined

/**
 * Sends `{model, input}` and reads `{data: [{index, embedding}]}` or Ollama's own `{embeddings}`.
 */
const openai: RequestFormat = {
  maxTexts: () => 128,
  bodyOf: (question) => ({
    model: question.provider.model,
    input: question.texts,
    input_type: inputTypeOf(question),
    ...(question.saysDimensions && { dimensions: question.provider.dimensions }),
  }),
  vectorsIn(answer) {
    const data = field(answer, 'data')
    if (!isList(data)) return listIn(answer, 'embeddings')
    const vectors = new Map<unknown, unknown>()
    for (const [place, item] of data.entries()) {
      vectors.set(field(item, 'index') ?? place, field(item, 'embedding'))
    }
    const ordered = data.map((_, place) => vectors.get(place))
    return vectors.size === data.length ? ordered : undefined
  },
}

/** Sends version 2 of Cohere's API, and also reads answers of version 1. */
const cohere: RequestFormat = {
  maxTexts: () => 96,
  bodyOf: (question) => ({
    model: question.provider.model,
    texts: question.texts,
    input_type:
      inputTypeOf(question) ?? (question.purpose === 'query' ? 'search_query' : 'search_document'),
    embedding_types: ['float'],
    ...(question.saysDimensions && { output_dimension: question.provider.dimensions }),
  }),
  vectorsIn: (answer) =>
    listIn(field(answer, 'embeddings'), 'float') ?? listIn(answer, 'embeddings'),
}

const takesOne = (endpoint: string) => /:embedContent$/.test(new URL(endpoint).pathname)

/** `:batchEmbedContents`, or `:embedContent` with one text per request. */
const gemini: RequestFormat = {
  maxTexts: (endpoint) => (takesOne(endpoint) ? 1 : 100),
  bodyOf(question) {
    const { provider, purpose, texts, saysDimensions } = question
    const usual = purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT'
    const requests = texts.map((text) => ({
      model: `models/${provider.model.replace(/^models\//, '')}`,
      content: { parts: [{ text }] },
      taskType: inputTypeOf(question) ?? usual,
      ...(saysDimensions && { outputDimensionality: provider.dimensions }),
    }))
    return takesOne(provider.endpoint) ? { ...requests[0] } : { requests }
  },
  vectorsIn(answer) {
    const one = field(field(answer, 'embedding'), 'values')
    if (one !== undefined) return [one]
    return listIn(answer, 'embeddings')?.map((embedding) => field(embedding, 'values'))
  },
}

function listIn(value: unknown, name: string): readonly unknown[] | undefined {
  const list = field(value, name)
  return isList(list) ? list : undefined
}

export const requestFormatOf: Record<Provider['requestFormat'], RequestFormat> = {
  openai,
  cohere,
  gemini,
}
