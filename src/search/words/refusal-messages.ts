import { ServiceError, unprocessable } from '../../errors.ts'
import type { Awaited } from '../held/fair-reading.ts'

/** Whether an index cannot be made for want of memory. */
export const isForWant = (error: unknown) =>
  error instanceof ServiceError && error.kind === 'unprocessable'

export function needsMemory(maxBytes: number): ServiceError {
  const limit = `${Math.floor(maxBytes / 2 ** 20)} MB`
  return unprocessable(
    `The words of this project need more memory than this server gives to words, ${limit}; a larger SERVICE_VECTORMEMORY gives more`,
  )
}

export const readAnew = (cause?: unknown) =>
  notYet('The words are being read anew; try again in a moment', cause)

/** Only searches by words have to wait. */
const notYet = (detail: string, cause?: unknown) =>
  new ServiceError('unavailable', detail, { cause, retryAfter: 1, sparesOthers: true })

/** @param others what else searches wait for */
export function beingRead(read: number, all: number, others: Awaited): ServiceError {
  const printed = (count: number) => Math.max(0, count).toLocaleString('en')
  const progress = `${printed(read)} of ${printed(all)} embeddings`
  const { projects, embeddings } = others
  const left = `${printed(embeddings)} embeddings of ${printed(projects)} other projects`
  const beside = projects === 0 ? '' : `, in turn with ${left}`
  return notYet(
    `The words of this project are being read (${progress}${beside}); try again in some seconds`,
  )
}

export const tooFrequent = (isKeyless = false) =>
  unprocessable(
    `These words occur too often in the texts of this project; use fewer or rarer words, or an earlier page${isKeyless ? '. A search with a key may do four times as much' : ''}`,
  )
