import { ServiceError } from '../errors.ts'
import { holdsMore } from '../json/parse.ts'
import { isNumberArray, toFloat32 } from '../vectors/float32.ts'
import type { Reply } from './post.ts'
import { redacted } from './redact.ts'
import { type Provider, type ProviderRequest, requestFormatOf } from './request-formats.ts'

/** The largest size of a number in JSON: float64 with an exponent and white space. */
const maxElementBytes = 40
const maxOtherBytes = 1024 * 1024
/**
 * Objects, lists and other values besides the numbers of vectors. Each costs the parser up to 100
 * bytes.
 */
const maxOtherValues = 50_000
/** The dimensions of the largest common models, for requests that do not specify any. */
const usualDimensions = 4_096

/** The most numbers that all vectors of an answer may have together. */
const maxElementsOf = ({ provider: { dimensions }, texts, saysDimensions }: ProviderRequest) =>
  texts.length * (saysDimensions ? dimensions : Math.max(dimensions, usualDimensions))

export const maxBytesOf = (question: ProviderRequest) =>
  maxElementsOf(question) * maxElementBytes + maxOtherBytes

/** Providers answer so if a request is too large, or if one of its texts is bad. */
const perhapsTooMuch = new Set([400, 413, 422])
/** llama.cpp, for example, reports this with status 500. */
const tooLong =
  /too (large|long|big|many tokens)|context (length|size|window)|exceeds? [^.]{0,60}(length|tokens)/i

export const isPerhapsTooMuch = ({ status, body }: Reply) =>
  perhapsTooMuch.has(status) || (status === 500 && tooLong.test(body.toString()))

/** A provider's answer without vectors. */
export class ProviderRefusal extends ServiceError {
  readonly status: number
  /** The text that may be at fault, if it was the only one. */
  readonly text: string | undefined

  constructor(reply: Reply, words: string, text: string | undefined) {
    const { status, retryAfter } = reply
    super(
      'bad-gateway',
      `The embedding provider answered ${status}${words === '' ? '' : `: ${words}`}`,
      retryAfter === undefined ? {} : { retryAfter: Math.ceil(Math.min(retryAfter, 86_400)) },
    )
    this.status = status
    this.text = isPerhapsTooMuch(reply) ? text : undefined
  }
}

/**
 * @param alone the text, if the request had only one
 * @throws 502 if the provider refuses, or does not return one list of numbers per text
 */
export function vectorsIn(reply: Reply, question: ProviderRequest, alone: string | undefined) {
  const { provider, texts } = question
  const { status, body } = reply
  const answer = parsed(body, maxElementsOf(question) + maxOtherValues)
  if (status < 200 || status > 299) {
    const said = messageIn(answer) ?? (answer === undefined ? body.toString('utf8', 0, 1_000) : '')
    throw new ProviderRefusal(reply, redacted(said, provider.key), alone)
  }
  const vectors = requestFormatOf[provider.requestFormat].vectorsIn(answer)
  if (vectors === undefined) {
    const words = redacted(messageIn(answer) ?? '', provider.key)
    const why =
      words === ''
        ? `; request_format of its API standard is '${provider.requestFormat}'`
        : `: ${words}`
    throw new ServiceError(
      'bad-gateway',
      `The embedding provider answered ${status} with something else than vectors${why}`,
    )
  }
  const isComplete = vectors.length === texts.length
  const lists = vectors.filter(isNumberArray)
  if (isComplete && lists.length === vectors.length) return lists
  throw new ServiceError(
    'bad-gateway',
    isComplete
      ? 'The embedding provider answered a vector that is no list of numbers'
      : `The embedding provider answered ${vectors.length} vectors for ${texts.length} texts`,
  )
}

const utf8 = new TextDecoder()

/**
 * @returns undefined if the body is not JSON, or has so many values that parsing would take seconds
 */
function parsed(body: Buffer, maxValues: number): unknown {
  if (holdsMore(body, maxValues)) return undefined
  try {
    // The decoder drops a byte order mark, which JSON.parse would reject.
    return JSON.parse(utf8.decode(body))
  } catch {
    return undefined
  }
}

/** @throws 502 if the vector cannot be stored */
export function checked(vector: readonly number[], at: number, provider: Provider): Float32Array {
  if (vector.length !== provider.dimensions) throw wrongLength(vector.length, provider)
  const float32 = toFloat32(vector)
  if (typeof float32 !== 'string') return float32
  throw new ServiceError(
    'bad-gateway',
    `The embedding provider answered a vector (${at}): ${float32}`,
  )
}

export const wrongLength = (length: number, { dimensions }: Provider) =>
  new ServiceError(
    'bad-gateway',
    `The embedding provider answers vectors of ${length} dimensions, but the LLM service instance has ${dimensions}`,
  )

/**
 * Fields in which providers explain a refusal. Those that may hold only a code or status come last.
 */
const telling = ['message', 'error_message', 'error_msg', 'msg', 'detail', 'error', 'errors']
const maxDepth = 5
const maxFaults = 3

/**
 * Finds the error message in an answer without vectors: a text, or a field at any depth that holds
 * one.
 */
function messageIn(answer: unknown, depth = 0): string | undefined {
  if (typeof answer === 'string') return answer.trim() || undefined
  if (typeof answer !== 'object' || answer === null || depth === maxDepth) return undefined
  if (Array.isArray(answer)) {
    const said = answer.slice(0, maxFaults).map((fault) => messageIn(fault, depth + 1))
    return said.filter(Boolean).join('; ') || undefined
  }
  for (const name of telling) {
    const said = messageIn(Reflect.get(answer, name), depth + 1)
    if (said !== undefined) return said
  }
  return undefined
}
