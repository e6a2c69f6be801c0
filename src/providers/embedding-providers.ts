import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { cancelled, Limiter, type Requester } from '../concurrency/limiter.ts'
import { ServiceError } from '../errors.ts'
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
import { createPost, NoReply, type Reply, requireAllowed } from './post.ts'
import type { Provider, Purpose } from './provider.ts'
import { type ProviderRequest, requestFormatOf } from './request-formats.ts'

/** Of one request, with texts of a usual length some thousand tokens. */
const maxCharacters = 100_000
/** Of the vectors of one answer, which is read into memory as a whole. */
const maxElements = 400_000
const timeoutMs = { query: 20_000, document: 120_000 }
const maxTries = 3
const firstPauseMs = 300
/** A provider that asks for a longer one is not waited for. */
const maxPauseMs = 8_000
/** For now, and not by a mistake in the request. */
const passing = new Set([408, 429, 500, 502, 503, 504, 529])
/** What a model of but one length refuses with that it is told another. */
const refusesDimensions = new Set([400, 422])

/** Asks providers: some at once, of each host fewer, and those that fail after a pause alone. */
function createAsk(allowed: AllowedHosts) {
  const post = createPost(allowed)
  const breaker = new CircuitBreaker()
  const limiter = new Limiter({ maxConcurrent: 16, queueTimeoutMs: 30_000, maxQueue: 256 })
  /** Of each host: one that hangs leaves places to the others. */
  const hostLimiters = new LRUCache<string, Limiter>({ max: 1_000 })

  function ofHost({ origin }: URL): Limiter {
    const known = hostLimiters.get(origin)
    if (known !== undefined) return known
    const made = new Limiter({ maxConcurrent: 6, queueTimeoutMs: 30_000, maxQueue: 64 })
    hostLimiters.set(origin, made)
    return made
  }

  /** One request, tried again where that may help. */
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

    /** Before anything is paid for. @throws 403 for a host that is not allowed, 503 while it is not asked */
    check(provider: Provider): void {
      requireAllowed(allowed, new URL(provider.endpoint))
      breaker.check(circuitOf(provider))
    },
  }
}

/** Has texts embedded by the providers of instances, which are among the allowed hosts. */
export function createEmbeddingProviders(allowed: AllowedHosts) {
  const { ask, check } = createAsk(allowed)
  /** Instances whose provider makes vectors of other dimensions unless it is told. */
  const saysDimensions = new LRUCache<string, true>({ max: 1_000 })

  /** One request, or where that is too much two of half of it each. */
  async function embedSome(
    provider: Provider,
    purpose: Purpose,
    texts: readonly string[],
    requester: Requester,
  ): Promise<Float32Array[]> {
    const { model, dimensions, requestFormat } = provider
    const name = JSON.stringify([circuitOf(provider), model, dimensions, requestFormat])
    const prefix = (purpose === 'query' ? provider.queryPrefix : provider.documentPrefix) ?? ''
    const question = {
      ...{ provider, purpose, texts: texts.map((text) => prefix + text) },
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
      // A key that is refused, or a limit that is reached, has nothing to do with dimensions.
      if (status !== undefined && !refusesDimensions.has(status)) throw error
      saysDimensions.delete(name)
      throw status === undefined ? error : wrongLength(length ?? 0, provider)
    })
  }

  return {
    check,

    /**
     * The vectors of the texts, in their order.
     * @throws 403 for a host that is not allowed, 502 and 504 for a provider that refuses, fails or answers
     *   something else, 503 while it is not asked
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
      for (const some of batchesOf(texts, maxTexts)) {
        vectors.push(...(await embedSome(provider, purpose, some, requester)))
      }
      return vectors
    },
  }
}

const circuitOf = ({ instanceId, endpoint }: Provider) => `${instanceId} ${endpoint}`

/** What may pass is no error yet. */
function passingOf(error: unknown): NoReply {
  if (error instanceof NoReply) return error
  throw error
}

function* batchesOf(texts: readonly string[], maxTexts: number): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    const isFull = batch.length === maxTexts || characters + text.length > maxCharacters
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

/** The URL and the headers with the key, as the API standard has it presented. */
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
