import type { ServerResponse } from 'node:http'
import { directionOf } from './embedding-provider.ts'

interface ProviderAnswer {
  readonly status: number
  /** JSON, or a page; undefined for an empty one. */
  readonly body: unknown
  readonly retryAfter?: (() => string) | undefined
  /** What the user is told of it; '' for nothing but the status. */
  readonly words: string
}

interface ProviderAnswers {
  readonly name: string
  /** That of the API standard; the usual one where it is not given. */
  readonly requestFormat?: 'cohere' | 'gemini'
  readonly success: (texts: readonly string[]) => unknown
  /** To a key, which some repeat. */
  readonly refused: ProviderAnswer
  readonly overloaded: ProviderAnswer
  /** Of one text. */
  readonly tooLong: ProviderAnswer
}

/** Searched for in all answers, lines of log and rows of the tests. */
export const providerKey = 'sk-4wJ8nC1zKp6YtR5xQ2'

type Form = (words: string) => unknown
const said = (
  status: number,
  words: string,
  form: Form = () => undefined,
  retryAfter?: () => string,
): ProviderAnswer => ({ status, words, body: form(words), retryAfter })
/** With words of its own, which are not repeated as they are. */
const saidOtherwise = (status: number, words: string, body: unknown): ProviderAnswer => ({
  ...{ status, words, body },
})

const isPage = (body: unknown): body is string => typeof body === 'string' && body.startsWith('<')

export function answerAs(
  response: ServerResponse,
  { status, body, retryAfter }: Omit<ProviderAnswer, 'words'>,
): void {
  response.writeHead(status, {
    'Content-Type': isPage(body) ? 'text/html' : 'application/json',
    ...(retryAfter && { 'Retry-After': retryAfter() }),
  })
  response.end(isPage(body) ? body : JSON.stringify(body))
}

/** As RFC 9110 has dates. */
const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString()
const seconds = (wait: number) => () => `${wait}`

const list = (texts: readonly string[]) => ({
  object: 'list',
  model: 'small',
  data: texts.map((text, index) => ({ object: 'embedding', index, embedding: directionOf(text) })),
  usage: { prompt_tokens: 2, total_tokens: 2 },
})

const detail: Form = (words) => ({ detail: words })
const error: Form = (words) => ({ error: words })
const message: Form = (words) => ({ message: words, id: 'a' })
const errorOf =
  (fields: object): Form =>
  (words) => ({ error: { message: words, ...fields } })
const openai = (type: string, code: string | null) => errorOf({ type, code, param: null })

const tooManyTokens =
  "This model's maximum context length is 8192 tokens, however you requested 8320 tokens"

/**
 * What providers answer, those whose forms are like no other's. Source: their documents, their sources, and reports of
 * their users, as each comment says.
 */
export const providerAnswers: readonly ProviderAnswers[] = [
  {
    // Words: reports to openai-python and langchain; statuses: platform.openai.com/docs/guides/error-codes.
    name: 'OpenAI',
    success: list,
    refused: saidOtherwise(
      401,
      'Incorrect API key provided: …. You can find your API key at https://platform.openai.com.',
      openai(
        'invalid_request_error',
        'invalid_api_key',
      )(
        `Incorrect API key provided: ${providerKey}. You can find your API key at https://platform.openai.com.`,
      ),
    ),
    overloaded: said(429, 'Rate limit reached', openai('requests', 'rate_limit'), seconds(20)),
    tooLong: said(400, tooManyTokens, openai('invalid_request_error', 'context_length_exceeded')),
  },
  {
    // docs.cohere.com/errors-reference
    name: 'Cohere',
    requestFormat: 'cohere',
    success: (texts) => ({ id: 'a', embeddings: { float: texts.map(directionOf) }, texts }),
    refused: said(401, 'invalid api token', message),
    overloaded: said(429, 'You are past the per minute request limit', message),
    tooLong: said(400, 'too many tokens: size limit exceeded by 11326 tokens.', message),
  },
  {
    // gemini-cli issues 6454 and 15005 (lists), geldata/gel issue 9032 (objects); a bad key is a 400 there.
    name: 'Gemini',
    requestFormat: 'gemini',
    success: (texts) => ({ embeddings: texts.map((text) => ({ values: directionOf(text) })) }),
    refused: said(
      400,
      'API key not valid. Please pass a valid API key.',
      errorOf({ code: 400, details: [{ reason: 'API_KEY_INVALID' }] }),
    ),
    overloaded: said(503, 'The model is overloaded. Please try again later.', (words) => [
      errorOf({ code: 503, status: 'UNAVAILABLE' })(words),
    ]),
    tooLong: said(400, 'The input token count (2500) exceeds the maximum number', (words) => [
      errorOf({ code: 400, errors: [{ message: 'The same again', reason: 'badRequest' }] })(words),
    ]),
  },
  {
    // Ollama's scheduler (ErrMaxQueue) and nano-brain issue 208; it knows no keys, a proxy in front does.
    name: 'Ollama',
    success: (texts) => ({ model: 'small', embeddings: texts.map(directionOf) }),
    refused: said(403, ''),
    overloaded: said(503, 'server busy, please try again. maximum pending requests', error),
    tooLong: said(400, 'the input length exceeds the context length', error),
  },
  {
    // lmstudio-bug-tracker issues 618 (a 200 that holds an error) and 546; the statuses of the others are assumed.
    name: 'LM Studio',
    success: list,
    refused: said(200, 'Unexpected endpoint or method. (POST /embeddings)', error),
    overloaded: said(503, 'Model is still loading', errorOf({})),
    tooLong: said(500, 'The model is loaded with context length of only 512 tokens', error),
  },
  {
    // ggml-org/llama.cpp issue 11105 and pull request 7389.
    name: 'llama.cpp',
    success: list,
    refused: said(401, 'Invalid API Key', errorOf({ code: 401, type: 'authentication_error' })),
    overloaded: said(503, 'Loading model', errorOf({ code: 503, type: 'unavailable_error' })),
    tooLong: said(500, 'input is too large to process', errorOf({ code: 500 })),
  },
  {
    // Its router: ErrorResponse and OpenAICompatErrorResponse, and their statuses; letta issue 1453.
    name: 'Text Embeddings Inference',
    success: list,
    refused: said(401, ''),
    overloaded: said(429, 'Model is overloaded', (words) => ({
      ...{ error: words, error_type: 'Overloaded' },
    })),
    tooLong: said(413, 'Input validation error: `inputs` must have less than 512 tokens', message),
  },
  {
    // AuditLuma issue 8; the overload is that of a proxy in front.
    name: 'vLLM',
    success: list,
    refused: said(401, 'Unauthorized', error),
    overloaded: said(503, '<h1>Service Unavailable</h1>', (words) => words, inAnHour),
    tooLong: said(400, "This model's maximum context length is 512 tokens.", (words) => ({
      ...{ object: 'error', message: words, type: 'BadRequestError', param: null, code: 400 },
    })),
  },
  {
    // agent-zero issue 539, cline issue 1734, semantic-router issue 297; before, errors were nested in `message`.
    name: 'Mistral',
    success: list,
    refused: said(401, 'Unauthorized', detail),
    overloaded: said(429, 'Requests rate limit exceeded', message),
    tooLong: saidOtherwise(422, 'Too many tokens in batch. Max is 16384; Input too long', {
      object: 'error',
      message: {
        detail: [
          { loc: ['body', 'input'], msg: 'Too many tokens in batch. Max is 16384' },
          { loc: ['body', 'input', 0], msg: 'Input too long' },
        ],
      },
    }),
  },
  {
    // refly issue 831; the codes of api.jina.ai/openapi.json, whose form is that of FastAPI.
    name: 'Jina',
    success: list,
    refused: said(401, 'Invalid API key', detail),
    overloaded: said(429, 'Rate limit exceeded', (words) => ({ detail: { error: words } })),
    tooLong: said(422, 'input length is larger than the largest allowed size 2048', (words) => ({
      ...{ detail: [{ type: 'value_error', loc: ['body'], msg: words }] },
    })),
  },
]

/** Of errors that other providers and gateways have. */
export const otherErrors: readonly (readonly [form: string, body: unknown, words: string])[] = [
  ['error_message', { error_code: 7, error_message: 'No such model' }, 'No such model'],
  ['error_msg', { error_code: 110, error_msg: 'Access token invalid' }, 'Access token invalid'],
  ['errors', { success: false, errors: [{ code: 1, message: 'No route' }] }, 'No route'],
  ['a list of texts', { errors: ['one', 'two', 'three', 'four'] }, 'one; two; three'],
  ['a text', 'No such model', 'No such model'],
  [
    'a class beside the reason',
    { error: 'Bad Request', message: 'model is required' },
    'model is required',
  ],
  ['an error that says nothing', { error: {}, detail: 'Not here' }, 'Not here'],
]
