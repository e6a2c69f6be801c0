import type { ServerResponse } from 'node:http'
import { directionOf } from './embedding-provider.ts'

export interface ProviderAnswer {
  readonly status: number
  /** JSON, or a page; undefined for an empty one. */
  readonly body: unknown
  readonly retryAfter: (() => string) | undefined
  /** What the user is told of it; '' for nothing but the status. */
  readonly words: string
}

interface ProviderAnswers {
  readonly name: string
  /** That of the API standard; the usual one where it is not given. */
  readonly requestFormat?: 'cohere' | 'gemini'
  readonly success: (texts: readonly string[]) => unknown
  /** @param key which some repeat */
  readonly refused: (key: string) => ProviderAnswer
  readonly overloaded: ProviderAnswer
  /** Of one text. */
  readonly tooLong: ProviderAnswer
}

const said = (
  status: number,
  words: string,
  body: unknown,
  retryAfter?: () => string,
): ProviderAnswer => ({ status, words, body, retryAfter })

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

const openaiError = (message: string, type: string, code: string | number | null) => ({
  error: { message, type, param: null, code },
})

const tooManyTokens =
  "This model's maximum context length is 8192 tokens, however you requested 8320 tokens"

/**
 * What providers answer. Source: their documents, their sources, and reports of their users, as each comment says;
 * without one it is only known that they follow the provider whose form it is.
 */
export const providerAnswers: readonly ProviderAnswers[] = [
  {
    // Words: reports to openai-python and langchain; statuses: platform.openai.com/docs/guides/error-codes.
    name: 'OpenAI',
    success: list,
    refused: (key) =>
      said(
        401,
        'Incorrect API key provided: …. You can find your API key at https://platform.openai.com/account/api-keys.',
        openaiError(
          `Incorrect API key provided: ${key}. You can find your API key at https://platform.openai.com/account/api-keys.`,
          'invalid_request_error',
          'invalid_api_key',
        ),
      ),
    overloaded: said(
      429,
      'Rate limit reached for small on requests per min',
      openaiError('Rate limit reached for small on requests per min', 'requests', 'rate_limit'),
      seconds(20),
    ),
    tooLong: said(
      400,
      tooManyTokens,
      openaiError(tooManyTokens, 'invalid_request_error', 'context_length_exceeded'),
    ),
  },
  {
    // gpt-researcher issue 936 and llama_index issue 9398: the gateway in front has a form of its own.
    name: 'Azure OpenAI',
    success: list,
    refused: () =>
      said(401, 'Unauthorized. Access token is missing, invalid or expired.', {
        statusCode: 401,
        message: 'Unauthorized. Access token is missing, invalid or expired.',
      }),
    overloaded: said(
      429,
      'Requests have exceeded call rate limit. Please retry after 86400 seconds.',
      {
        error: {
          code: '429',
          message: 'Requests have exceeded call rate limit. Please retry after 86400 seconds.',
        },
      },
      seconds(86400),
    ),
    tooLong: said(400, tooManyTokens, openaiError(tooManyTokens, 'invalid_request_error', null)),
  },
  {
    // docs.cohere.com/errors-reference
    name: 'Cohere',
    requestFormat: 'cohere',
    success: (texts) => ({ id: 'a', embeddings: { float: texts.map(directionOf) }, texts }),
    refused: () => said(401, 'invalid api token', { message: 'invalid api token' }),
    overloaded: said(429, 'You are past the per minute request limit', {
      id: 'b',
      message: 'You are past the per minute request limit',
    }),
    tooLong: said(400, 'too many tokens: size limit exceeded by 11326 tokens.', {
      message: 'too many tokens: size limit exceeded by 11326 tokens.',
    }),
  },
  {
    // gemini-cli issues 6454 and 15005 (lists), geldata/gel issue 9032 (objects); a bad key is a 400 there.
    name: 'Gemini',
    requestFormat: 'gemini',
    success: (texts) => ({ embeddings: texts.map((text) => ({ values: directionOf(text) })) }),
    refused: () =>
      said(400, 'API key not valid. Please pass a valid API key.', {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      }),
    overloaded: said(503, 'The model is overloaded. Please try again later.', [
      {
        error: {
          code: 503,
          message: 'The model is overloaded. Please try again later.',
          status: 'UNAVAILABLE',
        },
      },
    ]),
    tooLong: said(400, 'The input token count (2500) exceeds the maximum number of tokens', [
      {
        error: {
          code: 400,
          message: 'The input token count (2500) exceeds the maximum number of tokens',
          errors: [{ message: 'The same again', reason: 'badRequest' }],
          status: 'INVALID_ARGUMENT',
        },
      },
    ]),
  },
  {
    // Ollama's scheduler (ErrMaxQueue) and nano-brain issue 208; it knows no keys, a proxy in front does.
    name: 'Ollama',
    success: (texts) => ({ model: 'small', embeddings: texts.map(directionOf) }),
    refused: () => said(403, '', undefined),
    overloaded: said(503, 'server busy, please try again. maximum pending requests exceeded', {
      error: 'server busy, please try again. maximum pending requests exceeded',
    }),
    tooLong: said(400, 'the input length exceeds the context length', {
      error: 'the input length exceeds the context length',
    }),
  },
  {
    // lmstudio-bug-tracker issues 618 (a 200 that holds an error) and 546; the statuses of the others are assumed.
    name: 'LM Studio',
    success: list,
    refused: () =>
      said(200, 'Unexpected endpoint or method. (POST /embeddings)', {
        error: 'Unexpected endpoint or method. (POST /embeddings)',
      }),
    overloaded: said(503, 'Model is still loading', {
      error: { message: 'Model is still loading' },
    }),
    tooLong: said(500, 'The model is loaded with context length of only 512 tokens', {
      error: 'The model is loaded with context length of only 512 tokens',
    }),
  },
  {
    // ggml-org/llama.cpp issue 11105 and pull request 7389.
    name: 'llama.cpp',
    success: list,
    refused: () =>
      said(401, 'Invalid API Key', {
        error: { code: 401, message: 'Invalid API Key', type: 'authentication_error' },
      }),
    overloaded: said(503, 'Loading model', {
      error: { code: 503, message: 'Loading model', type: 'unavailable_error' },
    }),
    tooLong: said(500, 'input is too large to process. increase the physical batch size', {
      error: {
        code: 500,
        message: 'input is too large to process. increase the physical batch size',
        type: 'server_error',
      },
    }),
  },
  {
    // Its router: ErrorResponse and OpenAICompatErrorResponse, and their statuses; letta issue 1453.
    name: 'Text Embeddings Inference',
    success: list,
    refused: () => said(401, '', undefined),
    overloaded: said(429, 'Model is overloaded', {
      error: 'Model is overloaded',
      error_type: 'Overloaded',
    }),
    tooLong: said(413, 'Input validation error: `inputs` must have less than 512 tokens', {
      message: 'Input validation error: `inputs` must have less than 512 tokens',
      code: 413,
      type: 'Validation',
    }),
  },
  {
    // AuditLuma issue 8; the overload is that of a proxy in front.
    name: 'vLLM',
    success: list,
    refused: () => said(401, 'Unauthorized', { error: 'Unauthorized' }),
    overloaded: said(503, '<h1>Service Unavailable</h1>', '<h1>Service Unavailable</h1>', inAnHour),
    tooLong: said(400, "This model's maximum context length is 512 tokens.", {
      object: 'error',
      message: "This model's maximum context length is 512 tokens.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
  },
  {
    // Its ProxyException; it repeats the end of the key that it refuses.
    name: 'LiteLLM',
    success: list,
    refused: (key) =>
      said(
        401,
        'Authentication Error, Invalid proxy server token passed. Received API Key = sk-...',
        openaiError(
          `Authentication Error, Invalid proxy server token passed. Received API Key = sk-...${key.slice(-6)}`,
          'auth_error',
          '401',
        ),
      ),
    overloaded: said(
      429,
      'No deployments available for selected model, Try again in 60 seconds.',
      openaiError(
        'No deployments available for selected model, Try again in 60 seconds.',
        'None',
        '429',
      ),
      seconds(60),
    ),
    tooLong: said(
      400,
      'litellm.ContextWindowExceededError: maximum context length is 512 tokens',
      openaiError(
        'litellm.ContextWindowExceededError: maximum context length is 512 tokens',
        'None',
        '400',
      ),
    ),
  },
  {
    // agent-zero issue 539, cline issue 1734, semantic-router issue 297; before, errors were nested in `message`.
    name: 'Mistral',
    success: list,
    refused: () => said(401, 'Unauthorized', { detail: 'Unauthorized' }),
    overloaded: said(429, 'Requests rate limit exceeded', {
      message: 'Requests rate limit exceeded',
      request_id: 'a',
    }),
    tooLong: said(422, 'Too many tokens in batch. Max is 16384 got 17555; Input too long', {
      object: 'error',
      message: {
        detail: [
          { loc: ['body', 'input'], msg: 'Too many tokens in batch. Max is 16384 got 17555' },
          { loc: ['body', 'input', 0], msg: 'Input too long' },
        ],
      },
      type: 'invalid_request_error',
    }),
  },
  {
    // docs.voyageai.com/docs/error-codes; aichat pull request 825.
    name: 'Voyage',
    success: list,
    refused: () =>
      said(401, 'Provided API key is invalid.', { detail: 'Provided API key is invalid.' }),
    overloaded: said(429, 'Your rate limits are 3 RPM and 10K TPM.', {
      detail: 'Your rate limits are 3 RPM and 10K TPM.',
    }),
    tooLong: said(400, 'The max allowed tokens per submitted batch is 120000.', {
      detail: 'The max allowed tokens per submitted batch is 120000.',
    }),
  },
  {
    // refly issue 831; the codes of api.jina.ai/openapi.json, whose form is that of FastAPI.
    name: 'Jina',
    success: list,
    refused: () => said(401, 'Invalid API key', { detail: 'Invalid API key' }),
    overloaded: said(429, 'Rate limit exceeded', { detail: { error: 'Rate limit exceeded' } }),
    tooLong: said(422, 'input length is larger than the largest allowed size 2048', {
      detail: [
        {
          type: 'value_error',
          loc: ['body'],
          msg: 'input length is larger than the largest allowed size 2048',
        },
      ],
    }),
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
