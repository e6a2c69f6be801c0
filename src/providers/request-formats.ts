import type { Provider, Purpose } from './provider.ts'

/** What is asked in one request. */
export interface ProviderRequest {
  readonly provider: Provider
  readonly purpose: Purpose
  /** With their prefixes. */
  readonly texts: readonly string[]
  /** Whether it is said how long the vectors are to be, which models of one length refuse. */
  readonly saysDimensions: boolean
}

/** How texts are sent to a provider, and how its vectors come. */
interface RequestFormat {
  /** Of one request. */
  readonly maxTexts: (endpoint: string) => number
  readonly bodyOf: (question: ProviderRequest) => object
  /** @returns the vectors in the order of the texts, whatever they are; undefined for another answer */
  readonly vectorsIn: (answer: unknown) => readonly unknown[] | undefined
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const inputTypeOf = ({ provider, purpose }: ProviderRequest) =>
  (purpose === 'query' ? provider.queryInputType : provider.documentInputType) ?? undefined

/** `{model, input}` to `{data: [{index, embedding}]}`; also Ollama's own `{embeddings}`. */
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

/** Version 2 of Cohere's API, and version 1 of its answers. */
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

/** `:batchEmbedContents`, or `:embedContent` for one text a request. */
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
