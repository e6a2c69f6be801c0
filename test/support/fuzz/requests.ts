import { createHash } from 'node:crypto'
import type { OpenApiDocument } from '../../../src/service/docs/document.ts'
import type { DocumentedOperation } from '../openapi/document.ts'
import { type Draft, validDraft } from './drafts.ts'
import { mutate } from './mutations.ts'
import { OddValues } from './values.ts'
import type { FuzzWorld } from './world.ts'

/** Makes the request of a number, each time anew. */
type Requests = (number: number) => Draft

/** Enough to meet a valid one where every item of a body has names that must fit each other. */
const mostTries = 500

/** A request that does what its operation is for, found among those that are as valid as the examples. */
export async function soundRequest(
  document: OpenApiDocument,
  world: FuzzWorld,
  operation: DocumentedOperation,
  isSound: (draft: Draft, number: number) => Promise<boolean>,
): Promise<() => Draft> {
  for (let number = 0; number < mostTries; number += 1) {
    const request = () =>
      validDraft(document, world, operation, oddValues(`${operation.id} sound ${number}`))
    if (await isSound(request(), number)) return request
  }
  throw new Error(`none of ${mostTries} valid requests to ${operation.id} did what it is for`)
}

/**
 * The requests to an operation by their numbers: one in 50 is the sound one as it is, one in four of the
 * others differs from it by one oddity or two, so that a sample of any size gets as far as the operation
 * goes, and the rest are made of other names and keys as well.
 */
export function fuzzedRequests(
  document: OpenApiDocument,
  world: FuzzWorld,
  operation: DocumentedOperation,
  sound: () => Draft,
): Requests {
  return (number) => {
    if (number % 50 === 0) return sound()
    const odd = oddValues(`${operation.id} ${number}`)
    const isNearlySound = odd.chance(25)
    const draft = isNearlySound ? sound() : validDraft(document, world, operation, odd)
    mutate(draft, odd, number, odd.pick(isNearlySound ? [1, 1, 1, 2] : [0, 0, 1, 1, 1, 2]))
    return draft
  }
}

const oddValues = (seed: string) =>
  new OddValues(createHash('sha256').update(seed).digest().readInt32LE())
