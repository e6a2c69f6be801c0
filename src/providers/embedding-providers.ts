import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Limiter, type Requester } from '../concurrency/limiter.ts'
import { cancelled, ServiceError } from '../errors.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import {
  checked,
  isPerhapsTooMuch,
  maxBytesOf,
  ProviderRefusal,
  vectorsIn,
  wrongLength,
} from './answers.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { Pace } from './pace.ts'
import { createPost, NoReply, type Reply, requireAllowed } from './post.ts'
import {
  type Provider,
  type ProviderRequest,
  type Purpose,
  requestFormatOf,
} from './request-formats.ts'

/** Characters per request: some thousand tokens for texts of usual length. */
const maxCharacters = 100_000
/** Numbers per answer, which is read into memory as a whole. */
const maxElements = 400_000
const timeoutMs = { query: 20_000, document: 120_000 }
/** A request gets as many texts as take this share of the timeout, by the pace of the last one. */
const partOfTimeout = 1 / 6
const maxTries = 3
const firstPauseMs = 300
/** If a provider asks for a longer pause, its answer counts as final. */
const maxPauseMs = 8_000
/** Temporary failures, which are not caused by the request. */
const passing = new Set([408, 429, 500, 502, 503, 504, 529])
/** A model with fixed dimensions answers so if other dimensions are requested. */
const refusesDimensions = new Set([400, 422])

/**
 * Sends requests to providers: limits their number overall and per host, retries temporary
 * failures, and pauses after repeated ones.
 */
function createAsk(allowed: AllowedHosts) {
  const post = createPost(allowed)
  const breaker = new CircuitBreaker()
  const limiter = new Limiter({ maxConcurrent: 16, queueTimeoutMs: 30_000, maxQueue: 256 })
  /** Limits per host, so that a host that hangs does not block the others. */
  const hostLimiters = new LRUCache<string, Limiter>({ max: 1_000 })

  function ofHost({ origin }: URL): Limiter {
    const known = hostLimiters.get(origin)
    if (known !== undefined) return known
    const made = new Limiter({ maxConcurrent: 6, queueTimeoutMs: 30_000, maxQueue: 64 })
    hostLimiters.set(origin, made)
    return made
  }

  /** Sends one request, and retries it if that may help. */
  async function ask(question: ProviderRequest, requester: Requester): Promise<Reply> {
    const { provider, purpose } = question
    const url = new URL(provider.endpoint)
    const circuit = circuitOf(provider)
    const request = {
      ...keyed(provider, url),
      body: Buffer.from(JSON.stringify(requestFormatOf[provider.requestFormat].bodyOf(question))),
      maxBytes: maxBytesOf(question),
      timeoutMs: timeoutMs[purpose],
      signal: requester.signal,
    }
    for (let tries = 1; ; tries += 1) {
      breaker.check(circuit)
      const send = () => post(request).catch((error) => passingOf(error))
      const reply = await ofHost(url).run(() => limiter.run(send, requester), requester)
      const isAnswer = !(reply instanceof NoReply)
      const isOfText = isAnswer && isPerhapsTooMuch(reply)
      const isPassing = isAnswer ? passing.has(reply.status) && !isOfText : reply.isPassing
      const wanted = isAnswer ? reply.retryAfter : undefined
      const pause = (wanted ?? 0) * 1000 || firstPauseMs * 2 ** (tries - 1) * (1 + Math.random())
      if (!isPassing || tries === maxTries || pause > maxPauseMs) {
        const hasFailed = !isAnswer || (reply.status >= 500 && !isOfText)
        if (hasFailed) breaker.failed(circuit)
        else breaker.succeeded(circuit)
        if (!isAnswer) throw reply
        return reply
      }
      await sleep(pause, undefined, { signal: requester.signal }).catch(() => {
        throw cancelled()
      })
    }
  }

  return {
    ask,

    /**
     * Checks before anything is paid for. @throws 403 if the host is not allowed, 503 during the
     * pause after failures
     */
    check(provider: Provider): void {
      requireAllowed(allowed, new URL(provider.endpoint))
      breaker.check(circuitOf(provider))
    },
  }
}

/** Embeds texts with the providers of instances, if their hosts are allowed. */
export function createEmbeddingProviders(allowed: AllowedHosts) {
  const { ask, check } = createAsk(allowed)
  const pace = new Pace()
  /** Providers that return other dimensions unless the request specifies them. */
  const saysDimensions = new LRUCache<string, true>({ max: 1_000 })

  /** Sends one request. If it is too large, splits it in two. */
  async function embedSome(
    provider: Provider,
    purpose: Purpose,
    texts: readonly string[],
    requester: Requester,
  ): Promise<Float32Array[]> {
    const name = nameOf(provider)
    const prefix = (purpose === 'query' ? provider.queryPrefix : provider.documentPrefix) ?? ''
    const question = {
      provider,
      purpose,
      texts: texts.map((text) => prefix + text),
      saysDimensions: saysDimensions.has(name),
    }
    const reply = await ask(question, requester)
    if (isPerhapsTooMuch(reply) && texts.length > 1) {
      const half = Math.ceil(texts.length / 2)
      return [
        ...(await embedSome(provider, purpose, texts.slice(0, half), requester)),
        ...(await embedSome(provider, purpose, texts.slice(half), requester)),
      ]
    }
    const vectors = vectorsIn(reply, question, texts.length === 1 ? texts[0] : undefined)
    const { length } = vectors[0] ?? []
    if (length === provider.dimensions)
      return vectors.map((vector, at) => checked(vector, at, provider))
    if (question.saysDimensions) throw wrongLength(length ?? 0, provider)
    saysDimensions.set(name, true)
    return embedSome(provider, purpose, texts, requester).catch((error) => {
      const status = error instanceof ProviderRefusal ? error.status : undefined
      // A refused key or a reached limit has nothing to do with dimensions.
      if (status !== undefined && !refusesDimensions.has(status)) throw error
      saysDimensions.delete(name)
      throw status === undefined ? error : wrongLength(length ?? 0, provider)
    })
  }

  return {
    check,

    /**
     * Embeds a word with what the provider takes for granted.
     * @returns the dimensions of the vector @throws as `embed` does
     */
    async dimensionsOf(provider: Provider, requester: Requester): Promise<number> {
      const texts = [`${provider.queryPrefix ?? ''}test`]
      const question = { provider, purpose: 'query', texts, saysDimensions: false } as const
      const [vector = []] = vectorsIn(await ask(question, requester), question, undefined)
      return checked(vector, 0, { ...provider, dimensions: vector.length }).length
    },

    /**
     * Embeds texts and returns the vectors in their order.
     * @throws 403 if the host is not allowed; 502 or 504 if the provider refuses, fails or answers
     * something else; 503 during the pause after failures
     */
    async embed(
      provider: Provider,
      purpose: Purpose,
      texts: readonly string[],
      requester: Requester,
    ): Promise<Float32Array[]> {
      const format = requestFormatOf[provider.requestFormat]
      const vectors: Float32Array[] = []
      const maxTexts = Math.min(
        format.maxTexts(provider.endpoint),
        Math.ceil(maxElements / provider.dimensions),
      )
      const name = nameOf(provider)
      while (vectors.length < texts.length) {
        const most = Math.min(maxTexts, pace.textsIn(name, timeoutMs[purpose] * partOfTimeout))
        const some = firstBatch(texts.slice(vectors.length, vectors.length + most))
        const send = () => embedSome(provider, purpose, some, requester)
        vectors.push(...(await pace.measured(name, some.length, send)))
      }
      return vectors
    },
  }
}

const nameOf = ({ model, dimensions, requestFormat, ...provider }: Provider) =>
  JSON.stringify([circuitOf(provider), model, dimensions, requestFormat])

const circuitOf = ({ instanceId, endpoint }: Pick<Provider, 'instanceId' | 'endpoint'>) =>
  `${instanceId} ${endpoint}`

/** Returns temporary failures, which may be retried, and rethrows everything else. */
function passingOf(error: unknown): NoReply {
  if (error instanceof NoReply) return error
  throw error
}

/** As many of the first texts as one request may have characters for, at least one. */
function firstBatch(texts: readonly string[]): readonly string[] {
  let characters = 0
  const end = texts.findIndex((text, at) => {
    characters += text.length
    return at > 0 && characters > maxCharacters
  })
  return end === -1 ? texts : texts.slice(0, end)
}

/** Builds the URL and the headers with the key as the API standard requires. */
function keyed({ keyMethod, keyField, key }: Provider, url: URL) {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'semblance',
  }
  if (key === undefined || keyMethod === 'none') return { url, headers }
  if (keyMethod === 'query_param') {
    url.searchParams.set(keyField, key)
    return { url, headers }
  }
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(keyField) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(key)) {
    throw new ServiceError(
      'bad-gateway',
      "The provider's key, or the key_field of its API standard, cannot stand in a header",
    )
  }
  headers[keyField] = keyMethod === 'auth_bearer' ? `Bearer ${key}` : key
  return { url, headers }
}
